// variables of the environment → a key
import { inspect } from "node:util";

/** Who serves the model. */
export type Provider = "anthropic" | "openai";

/** Variables by name; an empty one counts as absent. */
export interface EnvironmentVariables {
  readonly [name: string]: string | undefined;
}

/** A key and where it was found: the name of a variable, or `config`. */
export interface Credential {
  readonly secret: Secret;
  readonly from: string;
}

const PROVIDER_VARIABLES: Readonly<Record<Provider, string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
};

/** AI-20: the names that are looked at, in their order: those of the product, then the provider's own. */
export function credentialVariables(provider: Provider, productVariables: readonly string[] = []): readonly string[] {
  return [...productVariables, PROVIDER_VARIABLES[provider]];
}

/** AI-20: the first of these variables that holds something. `env` defaults to that of the process. */
export function readCredential(
  variables: readonly string[],
  env: EnvironmentVariables = process.env,
): Credential | undefined {
  for (const from of variables) {
    const text = env[from]?.trim();
    if (text) return { secret: new Secret(text), from };
  }
  return undefined;
}

const HIDDEN = "***";

/** A key or password. However it is printed, it shows as `***`; only `reveal` gives the text. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
