import type { components } from "./schema.js";
type Problem = components["schemas"]["Problem"];
/** An answer that is not a success: the problem (RFC 9457) that the service has sent, or what is known of another's answer. */
export declare class RowanError extends Error {
    readonly name = "RowanError";
    /** HTTP status. */
    readonly status: number;
    /** Stable code; programs should look at this. Undefined when the answer is not of the service. */
    readonly code: Problem["code"] | undefined;
    /** The faults with their places. */
    readonly errors: NonNullable<Problem["errors"]>;
    /** The request in the server's log. */
    readonly requestId: string | undefined;
    /** How long the server asked to wait, in milliseconds; undefined when it did not ask. */
    readonly retryAfter: number | undefined;
    constructor(response: Response, problem: Partial<Problem> | undefined);
    static of(response: Response): Promise<RowanError>;
}
export {};
