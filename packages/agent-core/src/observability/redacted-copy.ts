// any value → a copy that JSON can hold, redacted
import type { Json } from "../types/json.ts";

/** Stands for what cannot be read, or cannot be told safely. */
export const UNREADABLE = "<unreadable>";
/** Names of fields stay names: no key that anybody makes for a secret is letters alone. */
export const FIELD_NAME = /^[A-Za-z_]+$/;
const OPAQUE_OWNERS: ReadonlySet<unknown> = new Set(["reasoning", "tool_call", "provider"]);

/** How much of a value a log line takes. What is cut says so. */
export interface RedactLimits {
  /** Default 20. */
  readonly depth: number;
  /** Of one list or object. Default 1 000. */
  readonly items: number;
  /** Of one text. Default 20 000. */
  readonly chars: number;
  /** Of the whole. Default 20 000. */
  readonly values: number;
}

/** What is shown is shown whole; only what no stack can bear is cut. */
export const DISPLAY_LIMITS: RedactLimits = {
  depth: 500,
  items: Number.POSITIVE_INFINITY,
  chars: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
};

export interface CopyRules {
  text(value: string): string;
  /** What stands for an object that is bytes; undefined for any other. */
  placeholder(value: object): string | undefined;
  readonly limits: RedactLimits;
  /** For signed provider data, which is left alone but for this. Absent: it is data like any other. */
  readonly opaqueText?: (value: string) => string;
}

export function copyRedacted(value: unknown, rules: CopyRules): Json {
  return new Copier(rules).copy(value);
}

class Copier {
  readonly #rules: CopyRules;
  readonly #above = new Set<object>();
  #left: number;

  constructor(rules: CopyRules) {
    this.#rules = rules;
    this.#left = rules.limits.values;
  }

  /** Getters, proxies and `toJSON` are foreign code: whatever they throw ends here. */
  copy(value: unknown): Json {
    try {
      return this.#copy(value);
    } catch {
      return UNREADABLE;
    }
  }

  #copy(value: unknown): Json {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (typeof value === "boolean") return value;
    if (typeof value !== "object" || value === null || this.#above.has(value)) return null;
    if (this.#above.size >= this.#rules.limits.depth) return "<too deep>";
    if (this.#left <= 0) return "<too much>";
    this.#left -= 1;
    this.#above.add(value);
    try {
      const bytes = this.#rules.placeholder(value);
      return bytes === undefined ? this.#inner(value) : this.#text(bytes);
    } finally {
      this.#above.delete(value);
    }
  }

  #inner(value: object): Json {
    if (Array.isArray(value)) return this.#list(value);
    if (value instanceof Map || value instanceof Set) return this.#list([...value]);
    if (value instanceof Error) return this.#fields(value, ["name", "message", "kind", "code", "status", "cause"]);
    if ("toJSON" in value && typeof value.toJSON === "function") return this.copy(value.toJSON());
    return this.#fields(value, Object.keys(value));
  }

  #text(value: string): string {
    const { chars } = this.#rules.limits;
    const text = this.#rules.text(value);
    return text.length > chars
      ? `${text.slice(0, chars).toWellFormed()}<${text.length - chars} more characters>`
      : text;
  }

  #list(items: readonly unknown[]): Json {
    const { items: most } = this.#rules.limits;
    const copies = items.slice(0, most).map((item) => this.copy(item));
    return items.length > most ? [...copies, `<${items.length - most} more>`] : copies;
  }

  #fields(owner: object, keys: readonly string[]): Json {
    const { items: most } = this.#rules.limits;
    const copies: { [key: string]: Json } = {};
    for (const key of keys.slice(0, most)) {
      const read = readField(owner, key);
      if (typeof read.value === "function" || read.value === undefined) continue;
      // As data even where the key is `__proto__`.
      Object.defineProperty(copies, FIELD_NAME.test(key) ? key : this.#rules.text(key), {
        value: this.#isOpaque(owner, key) ? this.#copyOpaque(read.value) : this.copy(read.value),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    if (keys.length > most) copies["…"] = `<${keys.length - most} more>`;
    return copies;
  }

  #copyOpaque(value: unknown): Json {
    const { limits, opaqueText: text = String } = this.#rules;
    return copyRedacted(value, { text, placeholder: () => undefined, limits });
  }

  #isOpaque(owner: object, key: string): boolean {
    return (
      this.#rules.opaqueText !== undefined && key === "opaque" && OPAQUE_OWNERS.has(readField(owner, "type").value)
    );
  }
}

/** What a throwing getter holds is not known. */
export function readField(owner: object, key: string): { readonly value: unknown } {
  try {
    return { value: Reflect.get(owner, key) };
  } catch {
    return { value: UNREADABLE };
  }
}
