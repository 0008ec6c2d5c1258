// a pause → the token that its answer must carry
import { createHmac, timingSafeEqual } from "node:crypto";
import type { PauseRecord } from "../types/pause.ts";

type Signed = Pick<PauseRecord, "id" | "runId" | "calls" | "expiresAt">;

/** HMAC over id, run, calls, their arguments and the expiry. */
export function signPause(pause: Signed, secret: Uint8Array): string {
  const calls = pause.calls.map(({ callId, argsSha256 }) => [callId, argsSha256]);
  const text = JSON.stringify([pause.id, pause.runId, calls, pause.expiresAt ?? null]);
  return createHmac("sha256", secret).update(text).digest("base64url");
}

/** True for the token of just this pause. Takes the same time for every wrong one. */
export function isTokenOf(pause: Signed, token: string, secret: Uint8Array): boolean {
  const expected = Buffer.from(signPause(pause, secret));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
