import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 random bits, safe in addresses and headers. */
export function createSecretToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored in place of a token: nobody finds the token from it, and guessing 256 bits is hopeless. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/** Takes the same time wherever the two differ. */
export function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(given)), Buffer.from(hashToken(expected)));
}
