// flag, environment and the usual config.yaml → where the workspace is, and where its settings are

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { EnvironmentVariables } from "@vision-agent/agent-core";
import { expandHome, workspaceFolder } from "./environment.ts";
import { type ConfigInputs, loadConfig } from "./load-config.ts";

export interface WorkspacePlace {
  /** Folder where everything is kept. */
  readonly folder: string;
  /** Folder of `config.yaml` and `.env`: the same, unless `workspace.path` sends the rest elsewhere. */
  readonly configFolder: string;
}

export interface FindWorkspaceOptions {
  readonly flag?: string;
  readonly env: EnvironmentVariables;
  readonly home?: string;
  /** Undefined when there is no such file. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

/**
 * The flag, else `VISION_AGENT_HOME`, else `workspace.path` of `~/.vision_agent/config.yaml`, else `~/.vision_agent`.
 * Throws `ConfigError` when that file cannot be used.
 */
export async function findWorkspace(options: FindWorkspaceOptions): Promise<WorkspacePlace> {
  const { flag, env, home = homedir() } = options;
  const usual = workspaceFolder({ env, home, flag });
  if (flag || env.VISION_AGENT_HOME) return { folder: usual, configFolder: usual };
  const settings = await readSettings(options, usual);
  const path = settings.configText ? loadConfig(settings).workspace.path : undefined;
  return { folder: path === undefined ? usual : resolve(usual, expandHome(path, home)), configFolder: usual };
}

/** What is written in the folder of the settings, to be loaded. */
export async function readSettings(
  { env, readText }: Pick<FindWorkspaceOptions, "env" | "readText">,
  configFolder: string,
): Promise<ConfigInputs> {
  const read = (name: string): Promise<string | undefined> => readText(join(configFolder, name));
  return { env, configText: await read("config.yaml"), envText: await read(".env") };
}
