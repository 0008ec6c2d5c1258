// JSON Pointer (RFC 6901) + document → value, or a new document
import { type AgentError, agentError } from "../types/errors.ts";
import { isJsonObject, type Json } from "../types/json.ts";

/** Throws `AgentError` kind `invalid`, code `bad_pointer`. The empty pointer is the whole document. */
function parsePointer(pointer: string): readonly string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw badPointer(pointer, 'it must be empty or begin with "/"');
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The pointer to a child, with its name escaped. */
export function toPointer(...tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Undefined when there is nothing at that place. */
export function valueAt(document: Json, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const token of parsePointer(pointer)) {
    if (Array.isArray(value)) value = isIndex(token) ? value[Number(token)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, token)) value = value[token];
    else return undefined;
  }
  return value;
}

/** Sets a value; objects that are missing on the way are made. `-` is the place after a list's end. */
export function withValue(document: Json, pointer: string, value: Json): Json {
  return change(document, pointer, () => value);
}

/** Adds to a list, which is made when it is missing. */
export function withAppended(document: Json, pointer: string, value: Json): Json {
  return change(document, pointer, (list) => {
    if (list === undefined) return [value];
    if (Array.isArray(list)) return [...list, value];
    throw badPointer(pointer, "there is no list to append to");
  });
}

/** Removes a value; nothing changes when there is none. */
export function without(document: Json, pointer: string): Json {
  if (pointer === "") throw badPointer(pointer, "the whole document cannot be removed");
  return valueAt(document, pointer) === undefined ? document : change(document, pointer, () => undefined);
}

/** `write` gives what stands there instead; undefined removes. */
function change(document: Json, pointer: string, write: (old: Json | undefined) => Json | undefined): Json {
  const changeAt = (value: Json | undefined, [token, ...inner]: readonly string[]): Json | undefined => {
    if (token === undefined) return write(value);
    if (Array.isArray(value)) {
      const index = toIndex(value, token, pointer);
      const child = changeAt(value[index], inner);
      return child === undefined ? value.toSpliced(index, 1) : value.toSpliced(index, 1, child);
    }
    if (value !== undefined && !isJsonObject(value)) throw badPointer(pointer, `"${token}" lies inside a plain value`);
    const { [token]: old, ...others } = value ?? {};
    const child = changeAt(value && Object.hasOwn(value, token) ? old : undefined, inner);
    return child === undefined ? others : { ...value, [token]: child };
  };
  return changeAt(document, parsePointer(pointer)) ?? null;
}

function toIndex(list: readonly Json[], token: string, pointer: string): number {
  const index = token === "-" ? list.length : Number(token);
  if ((token === "-" || isIndex(token)) && index <= list.length) return index;
  throw badPointer(pointer, `"${token}" is not a place in a list of ${list.length}`);
}

function isIndex(token: string): boolean {
  return /^(0|[1-9]\d*)$/.test(token);
}

function badPointer(pointer: string, why: string): AgentError {
  return agentError("invalid", "bad_pointer", `"${pointer}" cannot be used: ${why}.`);
}
