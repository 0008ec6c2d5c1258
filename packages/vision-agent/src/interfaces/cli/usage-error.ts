/** What a person gave cannot be used. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
