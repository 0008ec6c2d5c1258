import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { EnvironmentVariables } from "@vision-agent/agent-core";

/** The variables of this process. The only place that reads them. */
export function readEnvironment(): EnvironmentVariables {
  return { ...process.env };
}

/** Where the workspace is: the flag, else `VISION_AGENT_HOME`, else `~/.vision_agent`. */
export function workspaceFolder(options: {
  readonly flag?: string;
  readonly env: EnvironmentVariables;
  readonly home?: string;
}): string {
  const home = options.home ?? homedir();
  return resolve(expandHome(options.flag || options.env.VISION_AGENT_HOME || join(home, ".vision_agent"), home));
}

/** Where fetched models are kept: `VISION_AGENT_MODELS`, else `~/.cache/vision-agent/models`. */
export function modelFolder(env: EnvironmentVariables, home = homedir()): string {
  return resolve(expandHome(env.VISION_AGENT_MODELS || join(home, ".cache/vision-agent/models"), home));
}

/** `~` at the beginning of a path is the home folder. */
export function expandHome(path: string, home = homedir()): string {
  return path.replace(/^~(?=$|[/\\])/, home);
}
