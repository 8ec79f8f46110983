/** An answer that is not a success: the problem (RFC 9457) that the service has sent, or what is known of another's answer. */
export class RowanError extends Error {
    name = "RowanError";
    /** HTTP status. */
    status;
    /** Stable code; programs should look at this. Undefined when the answer is not of the service. */
    code;
    /** The faults with their places. */
    errors;
    /** The request in the server's log. */
    requestId;
    /** How long the server asked to wait, in milliseconds; undefined when it did not ask. */
    retryAfter;
    constructor(response, problem) {
        super(problem?.detail ?? problem?.title ?? `the server answered ${response.status} ${response.statusText}`);
        this.status = response.status;
        this.code = problem?.code;
        this.errors = problem?.errors ?? [];
        this.requestId = problem?.request_id ?? response.headers.get("X-Request-Id") ?? undefined;
        this.retryAfter = retryAfter(response.headers.get("Retry-After"));
    }
    static async of(response) {
        const text = await response.text().catch(() => "");
        if (!response.headers.get("Content-Type")?.startsWith("application/problem+json"))
            return new RowanError(response, undefined);
        try {
            return new RowanError(response, JSON.parse(text));
        }
        catch {
            return new RowanError(response, undefined);
        }
    }
}
/** Reads a Retry-After header, seconds or a date, as milliseconds. */
function retryAfter(header) {
    if (header === null)
        return undefined;
    const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
    return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}
