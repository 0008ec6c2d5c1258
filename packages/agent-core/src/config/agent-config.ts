// what a person wrote, as the host parsed it → checked settings with a key
import { agentError } from "../types/errors.ts";
import {
  credentialVariables,
  type EnvironmentVariables,
  type Provider,
  readCredential,
  Secret,
} from "./credentials.ts";

/** AI-19: which model, and how it is reached. Frozen. */
export interface AgentConfig {
  readonly provider: Provider;
  readonly model: string;
  /** Of one answer. Absent is the model's default. */
  readonly maxTokens?: number;
  /** Absent is the model's default. */
  readonly temperature?: number;
  /** Of one attempt. Absent is the default of the executor. */
  readonly requestTimeoutMs?: number;
  /** Absent when none was given and no variable held one. */
  readonly apiKey?: Secret;
  /** Where the key was found: the name of a variable, or `config`. */
  readonly apiKeyFrom?: string;
  /** Absent is the provider's own address. */
  readonly baseURL?: string;
}

/** Where a key may be found, and what is used where nothing was written. */
export interface ParseAgentConfigOptions {
  /** Default: that of the process. */
  readonly env?: EnvironmentVariables;
  /** AI-20: variables of the product that may hold the key, looked at before the provider's own. */
  readonly productVariables?: readonly string[];
  /** Used where none is named. Absent makes `model` required. */
  readonly defaultModel?: string;
  /** Throws when there is no key. Default false. */
  readonly requireApiKey?: boolean;
}

/** A variable in place of the key itself, as in `api_key: ${ANTHROPIC_API_KEY}`. */
const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
/** AI-19 calls the provider by the name of its models. */
const PROVIDERS: Readonly<Record<string, Provider>> = { anthropic: "anthropic", claude: "anthropic", openai: "openai" };

const FIELDS = {
  provider: { wire: "provider", expected: `one of ${Object.keys(PROVIDERS).join(", ")}`, parse: toProvider },
  model: { wire: "model", expected: "the id of a model", parse: toText },
  maxTokens: { wire: "max_tokens", expected: "a whole number above 0, or 0 for the default", parse: toCount(0) },
  temperature: { wire: "temperature", expected: "a number from 0 to 2, or -1 for the default", parse: toTemperature },
  requestTimeoutMs: {
    wire: "request_timeout_ms",
    expected: "a whole number of milliseconds above 0",
    parse: toCount(1),
  },
  apiKey: { wire: "api_key", expected: "a text that is not empty", parse: toText, secret: true },
  baseURL: { wire: "base_url", expected: "an http or https address without a user", parse: toAddress, secret: true },
} as const satisfies Record<string, ConfigField>;

/**
 * AI-19, AI-20: reads a plain object, or what YAML gave; keys may be written `max_tokens` or `maxTokens`.
 * The key is the one in it, else the first variable that holds one: the product's, then the provider's.
 * Throws `AgentError` kind `invalid`, code `bad_config` that names every key that is wrong, what was expected and what
 * came (never a secret), and code `no_credentials` when a key is required and there is none.
 */
export function parseAgentConfig(value: unknown, options: ParseAgentConfigOptions = {}): AgentConfig {
  const { defaultModel, productVariables, requireApiKey = false } = options;
  const { fields, problems } = readFields(value);
  const model = fields.model ?? defaultModel;
  if (model === undefined && problems.length === 0) problems.push("model: expected the id of a model, got nothing");
  if (model === undefined || problems.length > 0) {
    throw agentError("invalid", "bad_config", `${problems.join("; ")}.`);
  }
  const provider = fields.provider ?? "anthropic";
  const variables = credentialVariables(provider, productVariables);
  const reference = REFERENCE.exec(fields.apiKey ?? "")?.[1];
  const credential =
    fields.apiKey !== undefined && reference === undefined
      ? { secret: new Secret(fields.apiKey), from: "config" }
      : readCredential(reference === undefined ? variables : [reference, ...variables], options.env ?? process.env);
  if (requireApiKey && !credential) {
    const message = `There is no API key. Set ${variables.join(" or ")}, or api_key in the configuration.`;
    throw agentError("invalid", "no_credentials", message);
  }
  return Object.freeze({
    provider,
    model,
    maxTokens: fields.maxTokens || undefined,
    temperature: fields.temperature === -1 ? undefined : fields.temperature,
    requestTimeoutMs: fields.requestTimeoutMs,
    apiKey: credential?.secret,
    apiKeyFrom: credential?.from,
    baseURL: fields.baseURL,
  });
}

function toProvider(value: unknown): Provider | undefined {
  return typeof value === "string" && Object.hasOwn(PROVIDERS, value) ? PROVIDERS[value] : undefined;
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function toCount(least: number): (value: unknown) => number | undefined {
  return (value) => (Number.isSafeInteger(value) && Number(value) >= least ? Number(value) : undefined);
}

/** AI-3: -1 is the default. */
function toTemperature(value: unknown): number | undefined {
  return typeof value === "number" && (value === -1 || (value >= 0 && value <= 2)) ? value : undefined;
}

/** A user and password in an address would be printed with it. */
function toAddress(value: unknown): string | undefined {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain ? String(value).replace(/\/+$/, "") : undefined;
}

/** One key of a configuration. */
interface ConfigField {
  /** As files write it, in snake_case. */
  readonly wire: string;
  /** In words, for whoever wrote something else. */
  readonly expected: string;
  /** Undefined when the value is not what was expected. */
  parse(value: unknown): unknown;
  /** What came is never told, only its type. */
  readonly secret?: true;
}

type Fields = { readonly [K in keyof typeof FIELDS]?: ReturnType<(typeof FIELDS)[K]["parse"]> };

/** Absent and null are no value. Each problem reads `key: expected …, got …`. */
function readFields(value: unknown): { readonly fields: Fields; readonly problems: string[] } {
  if (value === undefined || value === null) return { fields: {}, problems: [] };
  if (typeof value !== "object" || Array.isArray(value)) {
    return { fields: {}, problems: [`the configuration: expected an object, got ${describe(value)}`] };
  }
  const table: readonly (readonly [string, ConfigField])[] = Object.entries(FIELDS);
  const fields: { [key: string]: unknown } = Object.create(null);
  const problems: string[] = [];
  for (const [written, given] of Object.entries(value)) {
    const expect = (what: string): number => problems.push(`${written}: expected ${what}`);
    const [key, field] = table.find(([name, { wire }]) => written === name || written === wire) ?? [];
    if (key === undefined || !field) {
      expect(`one of the keys ${table.map(([, { wire }]) => wire).join(", ")}, got an unknown one`);
    } else if (key in fields) {
      expect(`once, got twice, as ${key} and as ${field.wire}`);
    } else {
      fields[key] = given === undefined || given === null ? undefined : field.parse(given);
      const isWrong = given !== undefined && given !== null && fields[key] === undefined;
      if (isWrong) expect(`${field.expected}, got ${field.secret ? nameOfType(given) : describe(given)}`);
    }
  }
  return { fields: fields as Fields, problems };
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : nameOfType(value);
}

function nameOfType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value === "" ? "an empty text" : "another text";
  return `a value of type ${typeof value}`;
}
