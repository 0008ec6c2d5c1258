// tools by name → definitions for the model
import type { ToolDefinition } from "../llm/llm-client.ts";
import { type AgentError, agentError, isAgentError, messageOf } from "../types/errors.ts";
import { isJsonObject, type Json } from "../types/json.ts";
import { findUnknownOption, type KeysOf } from "../types/known-options.ts";
import { isStandardSchema } from "../types/standard-schema.ts";
import {
  type ArgumentCheck,
  type ArgumentCompiler,
  createArgumentCompiler,
  unknownProperty,
} from "./argument-check.ts";
import { LOAD_TOOLS } from "./deferred-tools.ts";
import { type JsonArguments, type Tool, toParameters } from "./tool.ts";

/** A tool with its compiled schema. */
export interface RegisteredTool {
  readonly tool: Tool<JsonArguments>;
  readonly check: ArgumentCheck;
}

/** AF-26: what the agent can do. */
export type ToolRegistry = ReturnType<typeof createToolRegistry>;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Throws as `addTool` does. */
export function createToolRegistry(tools: readonly Tool[] = []) {
  const byName = new Map<string, RegisteredTool>();
  const compiler = createArgumentCompiler();
  const listeners = new Set<() => void>();
  const tellChange = (): void => {
    for (const listener of listeners) listener();
  };
  const registry = {
    /**
     * Throws `AgentError` kind `invalid`, code `bad_tool` for a bad or taken name, a tool without a function or a
     * description, and a schema that cannot be compiled or that providers refuse.
     */
    addTool(given: Tool): void {
      const tool = readTool(given);
      if (tool.name === LOAD_TOOLS) throw badTool(`"${LOAD_TOOLS}" is the name of a tool that is built in.`);
      if (byName.has(tool.name)) throw badTool(`There is already a tool called "${tool.name}".`);
      // The check below makes sure that the arguments have the declared type.
      byName.set(tool.name, { tool: tool as unknown as Tool<JsonArguments>, check: compile(tool, compiler) });
      tellChange();
    },
    /** False when there was nothing to remove. */
    removeTool(name: string): boolean {
      const removed = byName.delete(name);
      if (removed) tellChange();
      return removed;
    },
    get: (name: string): RegisteredTool | undefined => byName.get(name),
    /** Sorted by name, so that the provider's cache is hit whatever the order of adding. */
    listTools: (): readonly ToolDefinition[] =>
      [...byName.values()]
        .map(({ tool: { name, description, parameters, strict, deferLoading } }) => ({
          name,
          description,
          parameters,
          strict,
          ...(deferLoading && { deferLoading }),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    /** Tells when a tool came or went; the listener must not throw. Gives the function that ends it. */
    onChange(listener: () => void): () => void {
      // Of its own, so that the same function given twice is two listeners.
      const own = (): void => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
  for (const tool of tools) registry.addTool(tool);
  return registry;
}

function readTool(given: Tool): Tool {
  try {
    return toWholeTool(given);
  } catch (thrown) {
    throw isAgentError(thrown) ? thrown : badTool(`A tool cannot be read: ${messageOf(thrown)}`, thrown);
  }
}

/** Programs in JavaScript may give anything; a schema of zod and the like is read as `defineTool` reads it. */
function toWholeTool(tool: Tool): Tool {
  const { name, description, execute } = tool;
  if (!NAME.test(name)) throw badTool(`The tool name "${name}" does not match ${NAME.source}.`);
  if (typeof description !== "string" || description.trim() === "") {
    throw badTool(`The tool "${name}" has no description: say what it does.`);
  }
  if (typeof execute !== "function") throw badTool(`The tool "${name}" has no function \`execute\`.`);
  const parameters = toParameters(tool);
  const problem = findUnknownField(tool) ?? findSecretProblem(tool.secretArguments, parameters.properties);
  if (problem !== undefined) throw badTool(`The tool "${name}": ${problem}`);
  if (parameters === tool.parameters) return tool;
  const schema = isStandardSchema(tool.parameters) ? tool.parameters : tool.schema;
  return { ...tool, execute: tool.execute.bind(tool), parameters, ...(schema && { schema }) };
}

const TOOL_KEYS: KeysOf<Tool> = {
  name: true,
  description: true,
  parameters: true,
  strict: true,
  deferLoading: true,
  execute: true,
  schema: true,
  output: true,
  timeoutMs: true,
  annotations: true,
  concurrency: true,
  replay: true,
  reconcile: true,
  retries: true,
  approval: true,
  untrusted: true,
  secretArguments: true,
  limits: true,
  project: true,
};
const ANNOTATION_KEYS: KeysOf<NonNullable<Tool["annotations"]>> = {
  readOnly: true,
  destructive: true,
  idempotent: true,
  openWorld: true,
  tags: true,
};
const LIMIT_KEYS: KeysOf<NonNullable<Tool["limits"]>> = { resultTokens: true, images: true };

/** A program may keep fields of its own in a tool; one that resembles ours is a slip. Those of a class are left alone. */
function findUnknownField(tool: Tool): string | undefined {
  const { approval, annotations, limits } = tool;
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(tool));
  const unknown = isPlain ? findUnknownOption(tool, TOOL_KEYS, { allowsOwn: true }) : undefined;
  const isApproval = approval === undefined || typeof approval === "function" || APPROVALS.includes(approval);
  return (
    unknown ??
    findUnknownOption(annotations, ANNOTATION_KEYS, { owner: "annotations." }) ??
    findUnknownOption(limits, LIMIT_KEYS, { owner: "limits." }) ??
    (isApproval ? undefined : 'approval is "never", "always" or a function.')
  );
}

/** A secret would not be put where it belongs. A schema without properties takes any argument. */
function findSecretProblem(names: Tool["secretArguments"], properties: Json | undefined): string | undefined {
  if (names !== undefined && !Array.isArray(names)) return "secretArguments is a list of names of arguments.";
  if (!isJsonObject(properties)) return undefined;
  const known = Object.keys(properties);
  const unknown = names?.find((name) => !known.includes(name));
  return unknown === undefined ? undefined : unknownProperty("secretArguments", unknown, known);
}

const APPROVALS: readonly string[] = ["never", "always"];

function compile(tool: ToolDefinition, compiler: ArgumentCompiler): ArgumentCheck {
  try {
    return compiler(tool.parameters);
  } catch (thrown) {
    throw badTool(`The parameters of "${tool.name}" are not a JSON Schema: ${String(thrown)}`, thrown);
  }
}

function badTool(message: string, cause?: unknown): AgentError {
  return agentError("invalid", "bad_tool", message, { cause });
}
