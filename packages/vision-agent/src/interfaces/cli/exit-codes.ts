/** The command did not come to a good end. */
export const EXIT_FAILED = 1;
/** The command was given something that it cannot use. */
export const EXIT_USAGE = 2;
/** The agent waits for a person's answer. */
export const EXIT_WAITING = 3;

/** What a person gave cannot be used. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
