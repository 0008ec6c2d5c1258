import { KindedError } from "../workspace/kinded-error.ts";

/** A watch that does not exist, a request for one that cannot be, or one that is there already. */
export class WatchError extends KindedError<"not_found" | "invalid" | "taken"> {}
