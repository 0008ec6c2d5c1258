import { describe, expect, it } from "vitest";
import { ClientError } from "../errors.ts";
import { createRetryDelays, parseRetryAfter } from "./retry-policy.ts";

/** The delays before each repeat, until the policy gives up. */
function delays(failure: { status?: number; retryAfterMs?: number }, repeats = true): number[] {
  const delayAfter = createRetryDelays({ repeats, random: () => 1 });
  const kind = failure.status === undefined ? "network" : "server";
  const error = new ClientError({ kind, message: "failed", ...failure });
  const found: number[] = [];
  for (;;) {
    const delay = delayAfter(error);
    if (delay === undefined || found.length > 20) return found;
    found.push(delay);
  }
}

describe("createRetryDelays", () => {
  it.each([429, 502, 504])("backs off after %i, three times, longer each time", (status) => {
    expect(delays({ status })).toEqual([400, 800, 1600]);
  });

  it("repeats 503 only when the server says when, and at most three times", () => {
    expect(delays({ status: 503 })).toEqual([]);
    expect(delays({ status: 503, retryAfterMs: 2_000 })).toEqual([2_000, 2_000, 2_000]);
  });

  it("repeats 500 once and a lost connection twice", () => {
    expect(delays({ status: 500 })).toHaveLength(1);
    expect(delays({})).toHaveLength(2);
  });

  it.each([400, 401, 402, 403, 404, 405, 410, 413, 422, 423, 501, 507])("never repeats %i", (status) => {
    expect(delays({ status })).toEqual([]);
  });

  it.each([undefined, 429, 500, 502, 503, 504])("never repeats a call that acts, after %s", (status) => {
    expect(delays({ status, retryAfterMs: 1 }, false)).toEqual([]);
  });

  it("spreads the delays over their second half", () => {
    const error = new ClientError({ kind: "busy", message: "busy", status: 429 });
    const first = (random: number) => createRetryDelays({ repeats: true, random: () => random })(error);
    expect([first(0), first(0.5), first(1)]).toEqual([200, 300, 400]);
  });
});

describe("parseRetryAfter", () => {
  it("reads seconds and dates", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(parseRetryAfter("2", now)).toBe(2_000);
    expect(parseRetryAfter("Thu, 01 Jan 2026 00:00:05 GMT", now)).toBe(5_000);
    expect(parseRetryAfter("Thu, 01 Jan 2025 00:00:05 GMT", now)).toBe(0);
    expect(parseRetryAfter("soon", now)).toBeUndefined();
    expect(parseRetryAfter(undefined, now)).toBeUndefined();
  });
});
