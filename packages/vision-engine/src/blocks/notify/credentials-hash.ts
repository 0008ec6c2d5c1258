import { createHash } from "node:crypto";

/** Tells credentials apart without telling them. */
export function credentialsHash(...parts: readonly string[]): string {
  return parts.map((part) => createHash("sha256").update(part).digest("hex")).join(":");
}
