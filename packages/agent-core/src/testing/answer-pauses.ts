// a folder and pauses, in this order → each answered, by a program of its own
import { fileURLToPath } from "node:url";
import { createAgentExecutor } from "../agent/executor.ts";
import { createAskUserTool } from "../tools/built-in-tools.ts";
import type { PauseRecord, Resolution } from "../types/message.ts";
import { CRASH_PRINCIPAL, createCrashAgent, createMarkingTools } from "./crash-run.ts";

/** An agent whose tools leave marks in the folder, and can ask. */
export function createAskingAgent(folder: string, script: Parameters<typeof createCrashAgent>[1]) {
  return createCrashAgent(folder, script, { tools: [...createMarkingTools(folder), createAskUserTool()] });
}

async function answer(folder: string, pauseIds: readonly string[]): Promise<void> {
  const executor = createAgentExecutor(createAskingAgent(folder, () => ({ text: "Going on." })).options);
  for (const pauseId of pauseIds) {
    const pause = (await executor.listPaused()).find(({ id }) => id === pauseId);
    if (!pause) throw new Error(`Nothing waits under ${pauseId}.`);
    const { status } = await executor.resume(pauseId, toResolution(pause), { principal: CRASH_PRINCIPAL }).outcome;
    process.stdout.write(`${status}\n`);
  }
  await executor.close();
}

function toResolution({ kind, token }: PauseRecord): Resolution {
  return kind === "ask_user" ? { kind: "answer", value: "Yes.", token } : { kind: "approve", token };
}

const [, script, folder, ...pauseIds] = process.argv;
if (script === fileURLToPath(import.meta.url) && folder) await answer(folder, pauseIds);
