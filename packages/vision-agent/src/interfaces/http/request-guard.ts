// a request's Host and Origin → let in, or the reason why not
import { HttpProblem } from "./http-problem.ts";

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface GuardedRequest {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, which browsers set and pages cannot. */
  readonly fetchSite: string | undefined;
}

/**
 * A page of another site must neither read this server under its own name (DNS rebinding) nor make it act
 * (cross-site requests). Throws `HttpProblem` 403.
 */
export function guardRequest({ method, host, origin, fetchSite }: GuardedRequest): void {
  if (host === undefined || !LOOPBACK.test(host)) {
    throw new HttpProblem(403, "foreign_host", "This server answers only to localhost, 127.0.0.1 and [::1].");
  }
  if (SAFE_METHODS.has(method)) return;
  const foreign = origin === undefined ? fetchSite === "cross-site" : !isLoopbackOrigin(origin);
  if (foreign) throw new HttpProblem(403, "foreign_origin", "Requests from other sites may not change anything here.");
}

function isLoopbackOrigin(origin: string): boolean {
  return LOOPBACK.test(origin.replace(/^https?:\/\//i, ""));
}
