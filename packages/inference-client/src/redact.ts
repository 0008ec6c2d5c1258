/** No more of a message than a person reads. */
const LONGEST_TEXT = 2_000;
/** A run of this many base64 characters is a picture or a blob, not a word. */
const LONGEST_RUN = 160;

const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // pydantic repeats what it was given; that can be a whole request
  [/,? {0,3}input_value=[\s\S]*?(?=, {0,3}input_type=|$)/g, ""],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, "$1 ***"],
  [
    /(["']?(?:api_key|apikey|service_secret|password|credential|access_token|token|secret)["']?\s*[=:]\s*)(["']?)[^\s"'&,;}\])]+\2/gi,
    "$1***",
  ],
  [/\b([a-z][a-z0-9+.-]{0,40}:\/\/)[^\s/"'<>]*@/gi, "$1***@"],
];

/**
 * A text fit for a log: without keys, passwords in addresses, echoed requests, pictures and Python tracebacks.
 * `secrets` are words that must not appear whatever stands around them.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text.slice(0, 10 * LONGEST_TEXT);
  const traceback = clean.indexOf("Traceback (most recent call last)");
  if (traceback >= 0) clean = clean.slice(0, traceback).trimEnd();
  for (const secret of secrets) {
    if (secret === "") continue;
    clean = clean.replaceAll(secret, "***").replaceAll(encodeURIComponent(secret), "***");
  }
  for (const [pattern, replacement] of RULES) clean = clean.replace(pattern, replacement);
  clean = clean.replace(new RegExp(`[A-Za-z0-9+/_-]{${LONGEST_RUN},}={0,2}`, "g"), "[data left out]");
  return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)} …` : clean;
}

/** What may be kept of an error as the cause of another: its words and code, not the bytes that hang on it. */
export function redactCause(error: unknown, secrets: readonly string[] = []): Error {
  const message = error instanceof Error ? error.message : String(error);
  const cause = new Error(redact(message, secrets));
  if (error instanceof Error) cause.name = error.name;
  const code = errorCode(error);
  return code === undefined ? cause : Object.assign(cause, { code });
}

/** Node's code of a system error, for example `ECONNREFUSED`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
