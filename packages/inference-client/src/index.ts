// Errors
export { ClientError, type ClientErrorKind } from "./errors.ts";
