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
/** Shorter values are more often a word such as `enabled` than a key. */
const SHORTEST = 8;

export function knownSecrets({ config, cameras, credentials, keys }: SecretHolders): readonly string[] {
  const { llm, inference, interface: shown } = config;
  const servers = [llm.baseUrl ?? "", ...inference.servers.map(({ url }) => url)];
  const passwords = [...servers, ...cameras.list().map(({ address }) => address)].flatMap(secretsIn);
  const { botToken, appToken } = shown.slack;
  const own = [llm.apiKey, inference.apiKey, ...inference.servers.map(({ apiKey }) => apiKey), botToken, appToken];
  const given = credentials.secrets();
  return [...own.map((key) => key?.reveal()), ...passwords, ...given, ...keys].filter((secret) => secret !== undefined);
}

/** Values of the variables whose names say that they hold a key, used or not; not those that say where one lies. */
export function keysAmong(variables: EnvironmentVariables): readonly string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    KEY_NAME.test(name) && value.length >= SHORTEST && !/^[/~.]/.test(value) ? [value] : [],
  );
}
