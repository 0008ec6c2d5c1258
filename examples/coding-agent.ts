// ANTHROPIC_API_KEY=… node examples/coding-agent.ts → an agent that keeps its design beside the code it writes
import {
  createAgentExecutor,
  createMemoryArtifactStore,
  createMemorySessionStore,
  defineTool,
  type InitialState,
  type LLMClient,
  randomIds,
  systemClock,
} from "@vision-agent/agent-core";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";
import { type Environment, replayEnvironment } from "@vision-agent/agent-core/environment";

/** The extension of the environment that this agent brings along; the core knows nothing of it. */
export type CodeDesign = { modules: { name: string; purpose: string }[]; decisions: string[] };

const NO_DESIGN: CodeDesign = { modules: [], decisions: [] };

const planModule = defineTool({
  name: "plan_module",
  description: "Notes a module of the program and what it is for.",
  parameters: {
    type: "object",
    properties: { name: { type: "string" }, purpose: { type: "string" }, why: { type: "string" } },
    required: ["name", "purpose", "why"],
    additionalProperties: false,
  },
  execute: async ({ name, purpose, why }) => ({
    content: [{ type: "text", text: `${name} is planned.` }],
    env: [
      { op: "append", path: "/extensions/code_design/modules", value: { name, purpose } },
      { op: "append", path: "/extensions/code_design/decisions", value: why },
    ],
  }),
});

function writeFileTo(files: Map<string, string>) {
  return defineTool({
    name: "write_file",
    description: "Writes a file of the program.",
    parameters: {
      type: "object",
      properties: { name: { type: "string", pattern: "^[\\w.-]+$" }, text: { type: "string" } },
      required: ["name", "text"],
      additionalProperties: false,
    },
    execute: async ({ name, text }) => {
      files.set(name, text);
      return {
        content: [{ type: "text", text: `${name} has ${text.length} characters.` }],
        env: [{ op: "set", path: `/workspace/files/${name}`, value: { characters: text.length } }],
      };
    },
  });
}

/** Works on one task. The environment is read back from the transcript, as a later process would. */
export async function writeCode(options: {
  llm: LLMClient;
  model: string;
  task: string;
}): Promise<{ answer: string; files: ReadonlyMap<string, string>; environment: Environment }> {
  const { llm, model, task } = options;
  const initial: InitialState = {
    task: { objective: task, status: "in_progress" },
    extensions: { code_design: NO_DESIGN },
  };
  const files = new Map<string, string>();
  const sessions = createMemorySessionStore();
  const executor = createAgentExecutor({
    llm,
    model,
    tools: [planModule, writeFileTo(files)],
    sessions,
    artifacts: createMemoryArtifactStore(),
    environment: { initial },
    prompt: {
      system: async () => [{ id: "who", text: "Plan a module before you write its file.", stability: "static" }],
      state: async () => "",
    },
    clock: systemClock,
    ids: randomIds,
  });
  const outcome = await executor.execute({ sessionId: "code", text: task, principal: { userId: "you" } }).outcome;
  await executor.close();
  return {
    answer: outcome.status === "finished" ? outcome.text : outcome.status,
    files,
    environment: replayEnvironment(await sessions.read("code"), { initial }),
  };
}

if (import.meta.main) {
  const apiKey = process.env.ANTHROPIC_API_KEY;
  if (apiKey === undefined) throw new Error("Set ANTHROPIC_API_KEY to run this example.");
  const task = process.argv[2] ?? "Write a stack in TypeScript, with a test.";
  const done = await writeCode({ llm: createAnthropicClient({ apiKey }), model: DEFAULT_ANTHROPIC_MODEL, task });
  console.log(done.answer, done.environment.getExtension<CodeDesign>("code_design"), [...done.files.keys()]);
}
