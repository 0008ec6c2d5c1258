/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A JSON Schema document. */
export type JsonSchema = { [key: string]: Json };
