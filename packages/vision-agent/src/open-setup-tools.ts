// a workspace and its machine → what can be looked at and set up without an app

import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { EnvironmentVariables } from "@vision-agent/agent-core";
import { DEFAULT_CONFIG_TEXT } from "./config/config-text.data.ts";
import { modelFolder } from "./config/environment.ts";
import { findWorkspace, readSettings } from "./config/find-workspace.ts";
import { loadConfig } from "./config/load-config.ts";
import type { JsonFlags, SetupTools } from "./interfaces/cli/app-flags.ts";
import { DEFAULT_SKILLS } from "./skills/default-skills.data.ts";
import { errorCode } from "./workspace/file-port.ts";
import { nodeFiles } from "./workspace/node-files.ts";
import { createDefaultFiles } from "./workspace/open-workspace.ts";
import { toWorkspaceError } from "./workspace/workspace-error.ts";

const run = promisify(execFile);
const FFMPEG_MS = 5000;

/** Throws `ConfigError` when the settings that say where the workspace is cannot be used. */
export async function openSetupTools(options: {
  readonly flags: Pick<JsonFlags, "workspace">;
  readonly env: EnvironmentVariables;
}): Promise<SetupTools> {
  const { flags, env } = options;
  const { readText } = nodeFiles;
  const place = await findWorkspace({ env, readText, flag: flags.workspace });
  const { folder, configFolder } = place;
  return {
    ...place,
    files: nodeFiles,
    fetch: globalThis.fetch,
    loadConfig: async () => loadConfig(await readSettings({ env, readText }, configFolder)),
    async makeWorkspace() {
      try {
        const configText = configFolder === folder ? DEFAULT_CONFIG_TEXT : undefined;
        const parts = { folder, files: nodeFiles, skills: DEFAULT_SKILLS };
        return await createDefaultFiles({ ...parts, ...(configText !== undefined && { configText }) });
      } catch (error) {
        throw toWorkspaceError(error, folder);
      }
    },
    async probe(source, signal) {
      const { probeSource, systemClock } = await import("@vision-agent/vision-engine");
      return probeSource(source, { sourceId: "probe", clock: systemClock, signal });
    },
    async models() {
      const { listModels } = await import("@vision-agent/vision-engine");
      return listModels(modelFolder(env));
    },
    ffmpeg: findFfmpeg,
    freeBytes: () => freeBytesNear(folder),
  };
}

async function findFfmpeg(): Promise<string | undefined> {
  try {
    const { stdout } = await run("ffmpeg", ["-hide_banner", "-version"], { timeout: FFMPEG_MS });
    return /^ffmpeg version \S+/.exec(stdout)?.[0] ?? "ffmpeg is there";
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Of the nearest folder that exists. */
async function freeBytesNear(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(folder);
    if (errorCode(error) !== "ENOENT" || parent === folder) throw error;
    return freeBytesNear(parent);
  }
}
