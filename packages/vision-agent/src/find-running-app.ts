import { join } from "node:path";
import type { EnvironmentVariables } from "@vision-agent/agent-core";
import { findWorkspace } from "./config/find-workspace.ts";
import type { AppFlags } from "./interfaces/cli/app-flags.ts";
import { type AppAddress, readServerNote, SERVER_NOTE } from "./interfaces/http/server-note.ts";
import { nodeFiles } from "./workspace/node-files.ts";
import { nodeProcesses } from "./workspace/process-table.ts";

/** How to reach the app that runs on the workspace of these flags, in another process. */
export async function findRunningApp(
  flags: Pick<AppFlags, "workspace">,
  env: EnvironmentVariables,
): Promise<AppAddress | undefined> {
  const { folder } = await findWorkspace({ env, readText: nodeFiles.readText, flag: flags.workspace });
  return readServerNote({ files: nodeFiles, processes: nodeProcesses, path: join(folder, SERVER_NOTE) });
}
