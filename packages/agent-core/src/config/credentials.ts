// variables of the environment → a key
import { inspect } from "node:util";
import { agentError } from "../types/errors.ts";

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

/**
 * The key given, else that of the provider's own variable. That one is never sent to another server: with a `baseURL` and
 * no key of its own, the word `none` is. Throws `AgentError` kind `invalid`, code `auth`.
 */
export function requireApiKey(
  provider: Provider,
  { apiKey, baseURL }: { readonly apiKey?: string | undefined; readonly baseURL?: string | undefined },
): string {
  if (apiKey !== undefined) return apiKey;
  if (baseURL !== undefined) return "none";
  const variables = credentialVariables(provider);
  const found = readCredential(variables);
  if (found) return found.secret.reveal();
  throw agentError("invalid", "auth", `There is no API key: set ${variables.join(" or ")}, or pass apiKey.`);
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
