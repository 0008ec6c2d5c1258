// settings, environment and cameras → what must never reach an event, a file, a prompt or an error
import type { EnvironmentVariables } from "@vision-agent/agent-core";
import type { Config } from "./config/config-schema.ts";
import { secretsIn } from "./workspace/camera-address.ts";
import type { CameraStore } from "./workspace/camera-store.ts";
import type { CredentialStore } from "./workspace/credential-store.ts";

export interface SecretHolders {
  readonly config: Config;
  readonly cameras: Pick<CameraStore, "list">;
  readonly credentials: Pick<CredentialStore, "secrets">;
  /** Of the environment, as `keysAmong` finds them. */
  readonly keys: readonly string[];
}

const KEY_NAME = /(?:^|_)(?:key|token|secret|password|passwd|pass)$/i;
/** Shorter values are more often a word such as `enabled` than a key or a password. */
const SHORTEST = 8;

export function knownSecrets({ config, cameras, credentials, keys }: SecretHolders): readonly string[] {
  const { llm, inference, interface: shown } = config;
  const servers = [llm.baseUrl ?? "", ...inference.servers.map(({ url }) => url)];
  const passwords = [...servers, ...cameras.list().map(({ address }) => address)].flatMap(secretsIn);
  const { botToken, appToken } = shown.slack;
  const own = [llm.apiKey, inference.apiKey, ...inference.servers.map(({ apiKey }) => apiKey), botToken, appToken];
  const given = credentials.secrets();
  const names = new Set(cameras.list().map(({ name }) => name.toLowerCase()));
  return [...own.map((key) => key?.reveal()), ...passwords, ...given, ...keys].filter(
    (secret): secret is string => secret !== undefined && !isWordLike(secret) && !names.has(secret.toLowerCase()),
  );
}

/**
 * Short values, words and numbers. Taking them out of every text would change what it says and tell everybody who
 * asks whether they guessed right: such a password is hidden where it stands in an address, and nowhere else.
 */
export function isWordLike(secret: string): boolean {
  if (secret.length < SHORTEST) return true;
  if (/^\d+$/.test(secret)) return secret.length < 12;
  return secret.length < 20 && /^[\p{L}_. -]+$/u.test(secret);
}

/** Values of the variables whose names say that they hold a key, used or not; not those that say where one lies. */
export function keysAmong(variables: EnvironmentVariables): readonly string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    KEY_NAME.test(name) && value.length >= SHORTEST && !/^[/~.]/.test(value) ? [value] : [],
  );
}
