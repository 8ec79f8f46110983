import { RowanError } from "./problem.js";
import { repeatable } from "./repeatable.js";

export interface HostsOptions {
  /**
   * Address of the application: https://shop.search.example. Where the host begins with the name of the application,
   * its replica hosts are used as well: shop-a, shop-b, shop-c, in turn, and the plain host when none of them can be
   * reached. Any other host stands for itself.
   */
  url?: string;
  /** Addresses to use in turn, instead of those that follow from url. */
  hosts?: readonly string[];
  application: string;
  /** How often a request is sent at most, the first time included; twice to each host, and at least 5 times, unless set. */
  attempts?: number;
  /** Longest single pause before an attempt, in milliseconds; a longer one ends the attempts. 30,000 unless set. */
  maxWait?: number;
  /** What sends requests; the fetch of the platform unless set. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Replica hosts of an application, a, b, c, and then the plain one; url alone where it does not begin with its name. */
export function replicaHosts(url: string, application: string): string[] {
  const { hostname } = new URL(url);
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  if (application === "" || isAddress || !hostname.startsWith(`${application}.`)) return [url];
  const replicas = ["a", "b", "c"].map((replica) => {
    const other = new URL(url);
    other.hostname = `${application}-${replica}${hostname.slice(application.length)}`;
    return other.href;
  });
  return [...replicas, url];
}

interface Host {
  readonly base: URL;
  /** Failures without a success in between. */
  failures: number;
  /** Until when it rests, in milliseconds since 1970. */
  rests: number;
  /** Until when it has asked to be left alone, likewise. */
  asked: number;
}

const firstPause = 100;
const longestPause = 5_000;

/** Sends requests to the hosts in turn, and leaves out for a while those that fail. */
export class Hosts {
  readonly #all: Host[];
  /** How many of them take turns; the others are used only when all of those rest. */
  readonly #regular: number;
  readonly #attempts: number;
  readonly #maxWait: number;
  readonly #send: (request: Request) => Promise<Response>;
  #turn = 0;

  constructor(options: HostsOptions) {
    const given = options.hosts ?? [];
    if (given.length === 0 && options.url === undefined) throw new TypeError("give either url or hosts");
    const addresses = given.length > 0 ? given : replicaHosts(options.url!, options.application);
    this.#all = addresses.map((address) => ({ base: parse(address), failures: 0, rests: 0, asked: 0 }));
    this.#regular = given.length === 0 && addresses.length > 1 ? addresses.length - 1 : addresses.length;
    this.#attempts = options.attempts ?? Math.max(5, 2 * addresses.length);
    this.#maxWait = options.maxWait ?? 30_000;
    this.#send = options.fetch ?? ((request) => globalThis.fetch(request));
  }

  /** Sends a request to a host, and on to the next one as long as that may help and does no harm. */
  async fetch(request: Request): Promise<Response> {
    // Not request.body: Firefox does not have it, and a GET must not have a body, not even an empty one.
    const bytes = new Uint8Array(await request.arrayBuffer());
    const body = bytes.length === 0 ? undefined : bytes;
    const { pathname, searchParams, search } = new URL(request.url);
    for (let attempt = 1; ; attempt++) {
      const host = this.#next();
      // Hosts rest because earlier requests have failed. Meanwhile the network may be back, so that only what a host has asked for delays a first attempt.
      const pause = attempt === 1 ? Math.max(host.asked - Date.now(), 0) : rest(host);
      await sleep(Math.min(pause, this.#maxWait), request.signal);
      const address = `${host.base.origin}${host.base.pathname.replace(/\/+$/, "")}${pathname}${search}`;
      const outcome = await this.#attempt(
        new Request(address, {
          method: request.method,
          headers: request.headers,
          signal: request.signal,
          redirect: "manual",
          ...(body === undefined ? {} : { body }),
        }),
      );
      if (outcome instanceof Response) {
        host.failures = host.rests = host.asked = 0;
        return outcome;
      }
      if (request.signal.aborted) throw request.signal.reason; // whatever has arrived of an error
      if (!outcome.temporary) {
        host.failures = host.rests = host.asked = 0;
        throw outcome.error;
      }
      failed(host, outcome.asked);
      const again = outcome.unapplied || repeatable(request, pathname, searchParams, body);
      if (attempt >= this.#attempts || !again || Math.min(...this.#all.map(rest)) > this.#maxWait) throw outcome.error;
    }
  }

  /** The host whose turn it is among those that do not rest, and otherwise the one that rests the shortest. */
  #next(): Host {
    const first = this.#turn++ % this.#regular;
    const regular = this.#all.slice(0, this.#regular);
    const order = [...regular.slice(first), ...regular.slice(0, first), ...this.#all.slice(this.#regular)];
    return order.reduce((best, host) => (rest(host) < rest(best) ? host : best));
  }

  /** Sends once. An answer is returned when it is there to the end. */
  async #attempt(request: Request): Promise<Response | Failure> {
    let response: Response;
    try {
      response = await this.#send(request);
    } catch (error) {
      return { error, temporary: true, unapplied: neverConnected(error), asked: 0 };
    }
    if (!response.ok) {
      const error = await RowanError.of(response);
      return {
        error,
        temporary: temporary(error),
        unapplied: error.retryAfter !== undefined && (error.status === 429 || error.status === 503),
        asked: error.retryAfter ?? 0,
      };
    }
    try {
      const whole = response.status === 204 ? null : await response.arrayBuffer();
      return new Response(whole, { status: response.status, statusText: response.statusText, headers: response.headers });
    } catch (error) {
      return { error, temporary: true, unapplied: false, asked: 0 };
    }
  }
}

interface Failure {
  readonly error: unknown;
  /** Another attempt, or another host, may succeed. */
  readonly temporary: boolean;
  /** The request has certainly changed nothing. */
  readonly unapplied: boolean;
  /** How long the host wants to be left alone, in milliseconds. */
  readonly asked: number;
}

function parse(address: string): URL {
  const url = new URL(address);
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError(`${address} is not the address of a server: write http://host:port`);
  }
  return url;
}

function rest(host: Host): number {
  return Math.max(host.rests - Date.now(), 0);
}

/** Lets a host rest: longer with each failure, half of it at random, and as long as it has asked for. */
function failed(host: Host, asked: number): void {
  const pause = Math.min(firstPause * 2 ** Math.min(host.failures++, 6), longestPause);
  if (asked > 0) host.asked = Math.max(host.asked, Date.now() + asked);
  host.rests = Math.max(host.rests, Date.now() + Math.max(pause / 2 + (Math.random() * pause) / 2, asked));
}

/** A search that has taken too long (504 of the service itself) would take as long elsewhere. */
function temporary(error: RowanError): boolean {
  return [429, 502, 503].includes(error.status) || (error.status === 504 && error.code === undefined);
}

/** Tells whether there was never a connection. Browsers do not say; then a write that may not be repeated is not. */
function neverConnected(error: unknown): boolean {
  const cause = (error as { cause?: { code?: unknown } } | null)?.cause;
  return typeof cause?.code === "string" && ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "EHOSTUNREACH", "ENETUNREACH"].includes(cause.code);
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", abort, { once: true });
  });
}
