// a secret → the ways in which programs write it down

/** Of longer ones only the usual forms are searched for: each takes memory for every letter. */
const LONG_SECRET = 65_536;
/** Nobody writes these in any other way. */
const PLAIN = /^[A-Za-z0-9_.-]*$/;

/**
 * Each is written by some encoder in all of its places alike; a token stands for one of them and is put back as that one.
 * `usualOnly` is for where there are too many already.
 */
export function toSecretForms(secret: string, { usualOnly }: { readonly usualOnly: boolean }): readonly string[] {
  if (PLAIN.test(secret)) return [secret];
  const inUrls = secret.toWellFormed();
  const pointer = secret.replaceAll("~", "~0").replaceAll("/", "~1");
  const written =
    usualOnly || secret.length > LONG_SECRET
      ? [secret, toJson(secret), encodeURIComponent(inUrls)]
      : [...jsonForms(secret), ...urlForms(inUrls), pointer];
  // A URL strips some characters; what is left may be an ordinary word.
  return written.filter((one) => one.length >= secret.length);
}

/** What encoders write as `\u` beside what they must: most, PHP and Python, Go and Rails, Gson, .NET. */
const UNICODE_ESCAPED: readonly RegExp[] = [
  /(?!)/g,
  /[\u007f-\uffff]/g,
  /[<>&\u2028\u2029]/g,
  /[<>&\u007f-\uffff]/g,
  /[<>&=']/g,
  /["<>&+'`\u007f-\uffff]/g,
];

/** In JSON, and in JSON inside JSON. */
function jsonForms(secret: string): readonly string[] {
  const forms = UNICODE_ESCAPED.map((escaped) => escapeUnicode(toJson(secret), escaped));
  const cased = [...forms, ...forms.map((form) => form.replace(/\\u[0-9a-f]{4}/g, upperDigits))];
  const inJson = withEscapedSlashes(cased);
  const inNested = withEscapedSlashes(inJson.map(toJson));
  return [secret, ...inJson, ...inNested, toJson(toJson(toJson(secret)))];
}

function toJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Every code unit of its own, as JSON has it. A quote that has its backslash loses it. */
function escapeUnicode(json: string, escaped: RegExp): string {
  const isQuoteEscaped = escaped.source.includes('"');
  const unquoted = isQuoteEscaped ? json.replace(/\\[\\"]/g, (pair) => (pair === '\\"' ? '"' : pair)) : json;
  return unquoted.replace(escaped, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function upperDigits(code: string): string {
  return `\\u${code.slice(2).toUpperCase()}`;
}

function withEscapedSlashes(forms: readonly string[]): readonly string[] {
  return [...new Set([...forms, ...forms.map((form) => form.replaceAll("/", "\\/"))])];
}

/** What encoders leave as it is, beside letters, digits and `-_.`: PHP, RFC 3986, Python, forms, Go, JavaScript. */
const URL_KEPT = ["", "~", "~/", "*", "~$&+=:@", "!~*'()"];

/** As components, whole addresses, queries and forms have it, with large and small letters in codes. */
function urlForms(secret: string): readonly string[] {
  const url = new URL(`http://h/?${secret.replaceAll("#", "%23")}`);
  const query = url.search.slice("?".length);
  url.password = secret;
  url.pathname = secret;
  const encoded = URL_KEPT.map((kept) => percentEncode(secret, kept));
  const large = [...encoded, encodeURI(secret), query, url.password, url.pathname.slice("/".length)];
  const spaced = [...large, ...large.map((one) => one.replaceAll("%20", "+"))];
  return withEscapedSlashes([...spaced, ...spaced.map((one) => one.replace(/%[0-9A-F]{2}/g, lowerDigits))]);
}

function percentEncode(text: string, kept: string): string {
  return encodeURIComponent(text)
    .replace(/[!~*'()]/g, (letter) => (kept.includes(letter) ? letter : `%${letter.charCodeAt(0).toString(16)}`))
    .replace(/%[0-9A-Fa-f]{2}/g, (code) => {
      const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return kept.includes(letter) ? letter : code.toUpperCase();
    });
}

function lowerDigits(code: string): string {
  return code.toLowerCase();
}
