// flags, environment, .env and config.yaml → one frozen configuration

import { parseEnv } from "node:util";
import { type EnvironmentVariables, Secret } from "@vision-agent/agent-core";
import type { z } from "zod";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { ALLOWED } from "./config-text.data.ts";
import { toShownAddress } from "./shown-address.ts";
import { parseYamlLines, type YamlLines } from "./yaml-lines.ts";

export interface ConfigInputs {
  readonly env: EnvironmentVariables;
  /** As typed on the command line. */
  readonly flags?: { readonly host?: string; readonly port?: string | number };
  /** Text of `config.yaml`; absent when there is none. */
  readonly configText?: string;
  /** Text of `.env` in the workspace; absent when there is none. */
  readonly envText?: string;
}

type Path = readonly string[];
interface Override {
  readonly path: Path;
  readonly value: unknown;
  /** Where it came from, for messages. */
  readonly origin: string;
}

/** Flag over environment over `.env` over `config.yaml` over default. Throws `ConfigError` with everything wrong. */
export function loadConfig(inputs: ConfigInputs): Config {
  const file = parseFile(inputs.configText ?? "");
  const env = { ...parseEnv(inputs.envText ?? ""), ...present(inputs.env) };
  const problems: ConfigProblem[] = [];
  const values = expand(file.values, { env, path: [], file, problems });
  if (problems.length > 0) throw new ConfigError(problems);

  const overrides = [...modelOverrides(values, env), ...overridesOf(inputs.flags ?? {}, env)].filter(
    ({ value }) => value !== undefined && value !== "",
  );
  for (const { path, value } of overrides) setIn(values, path, value);
  const parsed = configSchema.safeParse(values);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.flatMap((issue) => toProblems(issue, { values, overrides, file })));
  }
  return deepFreeze(parsed.data);
}

function parseFile(text: string): YamlLines & { readonly values: unknown } {
  const file = parseYamlLines(text);
  const values = file.value ?? {};
  const problems = file.errors.map(({ line, message }) => {
    return { key: "", line, message: `config.yaml line ${line}: this is not valid YAML (${message}).` };
  });
  if (problems.length === 0 && !isRecord(values)) {
    const message = `config.yaml line 1: the file must be made of "key: value" lines; allowed keys are ${keysBelow("")}.`;
    problems.push({ key: "", line: 1, message });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...file, values };
}

function present(env: EnvironmentVariables): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

interface Expansion {
  readonly env: EnvironmentVariables;
  readonly path: Path;
  readonly file: YamlLines;
  readonly problems: ConfigProblem[];
}

function expand(value: unknown, at: Expansion): unknown {
  if (typeof value === "string") return expandText(value, at);
  if (Array.isArray(value)) return value.map((item, place) => expand(item, { ...at, path: [...at.path, `${place}`] }));
  if (!isRecord(value)) return value;
  // A group with every line commented out is an empty group.
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, expand(inner, { ...at, path: [...at.path, key] })]));
}

function expandText(text: string, { env, path, file, problems }: Expansion): string {
  return text.replace(/\$\{(\w+)\}/g, (whole, name: string) => {
    const found = env[name];
    if (found) return found;
    const key = path.join(".");
    const line = file.lineOf(path);
    const message = `config.yaml line ${line}: ${key} uses \${${name}}, which is not set in the environment or in .env; set it or remove the line.`;
    problems.push({ key, line, message });
    return whole;
  });
}

function overridesOf(flags: NonNullable<ConfigInputs["flags"]>, env: EnvironmentVariables): readonly Override[] {
  const { host, port } = flags;
  const wholeNumber = typeof port === "string" && /^\d+$/.test(port) ? Number(port) : port;
  return [
    { path: ["inference", "server_url"], value: env.INFERENCE_URL, origin: "INFERENCE_URL" },
    { path: ["inference", "api_key"], value: env.ROBOFLOW_API_KEY, origin: "ROBOFLOW_API_KEY" },
    { path: ["server", "host"], value: host, origin: "--host" },
    { path: ["server", "port"], value: wholeNumber, origin: "--port" },
  ];
}

/** Each provider has its own variables. Where nobody chose one, the only key there decides. */
function modelOverrides(values: unknown, env: EnvironmentVariables): readonly Override[] {
  const llm = valueAt(values, ["llm"]);
  const written = valueAt(llm, ["provider"]);
  const onlyOpenAi = env.OPENAI_API_KEY && !env.ANTHROPIC_API_KEY && valueAt(llm, ["api_key"]) === undefined;
  const provider = written ?? (onlyOpenAi ? "openai" : undefined);
  const name = provider === "openai" ? "OPENAI" : "ANTHROPIC";
  return [
    { path: ["llm", "provider"], value: provider, origin: "OPENAI_API_KEY" },
    { path: ["llm", "api_key"], value: env[`${name}_API_KEY`], origin: `${name}_API_KEY` },
    { path: ["llm", "base_url"], value: env[`${name}_BASE_URL`], origin: `${name}_BASE_URL` },
  ].filter(({ path, value }) => path[1] !== "provider" || value !== written);
}

function setIn(root: unknown, path: Path, value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined || !isRecord(root)) return;
  if (rest.length === 0) root[key] = value;
  else {
    root[key] ??= {};
    setIn(root[key], rest, value);
  }
}

interface Origins {
  readonly values: unknown;
  readonly overrides: readonly Override[];
  readonly file: YamlLines;
}

function toProblems(issue: z.core.$ZodIssue, origins: Origins): readonly ConfigProblem[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((unknown) => unknownKey([...path, unknown], path.join("."), origins.file));
  }
  const key = path.join(".");
  const override = origins.overrides.find((candidate) => candidate.path.join(".") === key);
  // A key that is missing has no line: its group has.
  const line = override ? undefined : (origins.file.lineOf(path) ?? origins.file.lineOf(path.slice(0, -1)));
  const where = override ? `${override.origin} (${key})` : `config.yaml line ${line}: ${key}`;
  const found = holdsKey(path) ? "what is there" : toShown(valueAt(origins.values, path));
  return [{ key, line, message: `${where} must be ${ALLOWED[general(key)] ?? "left out"}, not ${found}.` }];
}

function toShown(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? toShownAddress(value) : value);
}

/** Items of a list share one entry. */
function general(key: string): string {
  return key.replace(/\.\d+(?=\.|$)/g, ".*");
}

/** Lists and groups may hold keys, too. */
function holdsKey(path: Path): boolean {
  const place = general(path.join("."));
  return Object.keys(ALLOWED).some((key) => /(?:_key|_token)$/.test(key) && `${key}.`.startsWith(`${place}.`));
}

function unknownKey(path: Path, group: string, file: YamlLines): ConfigProblem {
  const key = path.join(".");
  const line = file.lineOf(path);
  const message = `config.yaml line ${line}: there is no key ${key}; allowed ${group ? `in ${group}` : "here"} are ${keysBelow(general(group))}.`;
  return { key, line, message };
}

function keysBelow(group: string): string {
  const beginning = group ? `${group}.` : "";
  const names = Object.keys(ALLOWED).filter((key) => key.startsWith(beginning));
  return names
    .map((key) => key.slice(beginning.length))
    .filter((key) => !/[.*]/.test(key))
    .join(", ");
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce((value: unknown, key) => (isContainer(value) ? value[key] : undefined), root);
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function deepFreeze<T>(value: T): T {
  if (isContainer(value) && !(value instanceof Secret)) for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
