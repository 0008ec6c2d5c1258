// variables of the environment → a key
import { Secret } from "./secret.ts";

/** Who serves the model. */
export type Provider = "anthropic" | "openai";

/** Variables by name; an empty one counts as absent. */
export interface Environment {
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
export function readCredential(variables: readonly string[], env: Environment = process.env): Credential | undefined {
  for (const from of variables) {
    const text = env[from]?.trim();
    if (text) return { secret: new Secret(text), from };
  }
  return undefined;
}
