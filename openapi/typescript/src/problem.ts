import type { components } from "./schema.js";

type Problem = components["schemas"]["Problem"];

/** How many faults a message lists. */
const shownFaults = 5;

/** An answer that is not a success: the problem (RFC 9457) that the service has sent, or what is known of another's answer. */
export class RowanError extends Error {
  override readonly name = "RowanError";
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

  constructor(response: Response, problem: Partial<Problem> | undefined) {
    super(message(problem) ?? `the server answered ${response.status} ${response.statusText}`);
    this.status = response.status;
    this.code = problem?.code;
    this.errors = problem?.errors ?? [];
    this.requestId = problem?.request_id ?? response.headers.get("X-Request-Id") ?? undefined;
    this.retryAfter = retryAfter(response.headers.get("Retry-After"));
  }

  static async of(response: Response): Promise<RowanError> {
    const text = await response.text().catch(() => "");
    if (!response.headers.get("Content-Type")?.startsWith("application/problem+json")) return new RowanError(response, undefined);
    try {
      return new RowanError(response, JSON.parse(text) as Partial<Problem>);
    } catch {
      return new RowanError(response, undefined);
    }
  }
}

/** What happened and its places, the first few of those that the detail does not name; undefined when nothing is said. */
function message(problem: Partial<Problem> | undefined): string | undefined {
  const what = problem?.detail || problem?.title;
  const said = new Set<string>();
  const unsaid = (problem?.errors ?? []).filter((fault) => {
    // Of several faults with one message the detail names one.
    const first = !said.has(fault.message);
    said.add(fault.message);
    return !(first && what?.includes(fault.message));
  });
  const parts = unsaid.slice(0, shownFaults).map((fault) => `${fault.location}: ${fault.message}`);
  if (unsaid.length > shownFaults) parts.push(`and ${unsaid.length - shownFaults} more`);
  if (parts.length === 0) return what;
  return [...(what ? [what.replace(/\.$/, "")] : []), ...parts].join("; ");
}

/** Reads a Retry-After header, seconds or a date, as milliseconds. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}
