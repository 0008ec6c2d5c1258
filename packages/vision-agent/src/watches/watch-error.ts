import { KindedError } from "../workspace/kinded-error.ts";

/** A watch that does not exist, or a request for one that cannot be. */
export class WatchError extends KindedError<"not_found" | "invalid"> {}
