// tool calls → checked, run in time → exactly one result each
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { ArtifactRef } from "../types/artifact.ts";
import { createChildAbort, raceAbort } from "../types/child-abort.ts";
import type { Clock } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import type { ToolCall, ToolOutcome, ToolResultPart } from "../types/message.ts";
import { nearestName } from "./nearest-name.ts";
import type { Principal, Tool, ToolContext } from "./tool.ts";
import { cutText, MAX_RESULT_CHARS, toResultContent } from "./tool-output.ts";
import type { RegisteredTool, ToolRegistry } from "./tool-registry.ts";

const DEFAULT_TIMEOUT_MS = 60_000;

/** Who calls, and on whose behalf. */
export interface ToolRun {
  readonly signal: AbortSignal;
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Told of every picture a tool stores. */
  onArtifact?(ref: ArtifactRef): void;
}

/** A result and how long it took. */
export interface ExecutedCall {
  readonly result: ToolResultPart;
  readonly durationMs: number;
}

/** Runs tools for the loop. */
export interface ToolExecutor {
  /** AF-26. Never rejects: whatever goes wrong becomes a result that the model can read (VA-23). */
  executeTool(call: ToolCall, run: ToolRun): Promise<ExecutedCall>;
  /**
   * Neighbouring read-only tools side by side, all others one after another, in the order of the calls.
   * `onResult` is awaited for each as it ends; a rejection of it ends the batch.
   */
  executeBatch(
    calls: readonly ToolCall[],
    run: ToolRun,
    onResult: (executed: ExecutedCall) => Promise<void>,
  ): Promise<void>;
}

/** What a tool executor needs. */
export interface ToolExecutorOptions {
  readonly registry: ToolRegistry;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  /** Default 16 000. */
  readonly maxResultChars?: number;
}

/** AF-26, AF-34: checks arguments, keeps time, bounds results. */
export function createToolExecutor(options: ToolExecutorOptions): ToolExecutor {
  const { registry, clock } = options;

  const executeTool = async (call: ToolCall, run: ToolRun): Promise<ExecutedCall> => {
    const started = clock.monotonic();
    const result = await perform(call, run, options);
    return { result, durationMs: clock.monotonic() - started };
  };

  const isReadOnly = (call: ToolCall): boolean => registry.get(call.toolName)?.tool.annotations?.readOnly === true;

  return {
    executeTool,
    async executeBatch(calls, run, onResult) {
      for (const group of groupCalls(calls, isReadOnly)) {
        await Promise.all(group.map(async (call) => onResult(await executeTool(call, run))));
      }
    },
  };
}

function groupCalls(calls: readonly ToolCall[], isReadOnly: (call: ToolCall) => boolean): readonly ToolCall[][] {
  const groups: ToolCall[][] = [];
  let open = false;
  for (const call of calls) {
    const readOnly = isReadOnly(call);
    if (readOnly && open) groups.at(-1)?.push(call);
    else groups.push([call]);
    open = readOnly;
  }
  return groups;
}

async function perform(call: ToolCall, run: ToolRun, options: ToolExecutorOptions): Promise<ToolResultPart> {
  const registered = options.registry.get(call.toolName);
  if (run.signal.aborted) return textResult(call, "cancelled", "Cancelled before it began.");
  if (!registered) return textResult(call, "unknown_tool", unknownTool(call.toolName, options.registry));
  if (call.state === "truncated") {
    return textResult(call, "not_executed", "Not executed: the arguments were cut off. Send a shorter call.");
  }
  const problems =
    call.state === "unparseable" ? ["arguments are not a JSON object"] : registered.check(call.arguments);
  if (problems.length > 0) {
    return textResult(
      call,
      "invalid_args",
      `Not executed: ${problems.join("; ")}. Correct the arguments and call again.`,
    );
  }
  return runTool(call, registered, run, options);
}

async function runTool(
  call: ToolCall,
  { tool }: RegisteredTool,
  run: ToolRun,
  options: ToolExecutorOptions,
): Promise<ToolResultPart> {
  const maxChars = options.maxResultChars ?? MAX_RESULT_CHARS;
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const child = createChildAbort(run.signal);
  const finished = new AbortController();
  options.clock.sleep(timeoutMs, finished.signal).then(
    () => child.abort(timeoutError(tool, timeoutMs)),
    // The sleep only ends early because the tool did.
    () => undefined,
  );
  try {
    const context = createToolContext(call, child.signal, run, options.artifacts);
    const output = await raceAbort(start(tool, call, context), child.signal);
    return { ...head(call, "ok"), content: toResultContent(output, maxChars) };
  } catch (thrown) {
    if (run.signal.aborted) {
      return textResult(call, "cancelled", "Cancelled before it ended; it may have had effects already.");
    }
    if (child.signal.aborted) return textResult(call, "timeout", timeoutError(tool, timeoutMs).message);
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return textResult(
      call,
      "error",
      cutText(message === "" ? "The tool failed without a message." : message, maxChars),
    );
  } finally {
    finished.abort();
    child.dispose();
  }
}

/** A tool that throws before its first await is treated as one that rejects. */
async function start(tool: Tool, call: ToolCall, context: ToolContext): ReturnType<Tool["execute"]> {
  return tool.execute(call.arguments, context);
}

function createToolContext(call: ToolCall, signal: AbortSignal, run: ToolRun, artifacts: ArtifactStore): ToolContext {
  return {
    signal,
    callId: call.id,
    runId: run.runId,
    sessionId: run.sessionId,
    principal: run.principal,
    async putImage(bytes, { mimeType, alt }) {
      const ref = await artifacts.put(bytes, { mimeType, namespace: "tool_image" });
      run.onArtifact?.(ref);
      return { type: "image", artifactId: ref.id, mimeType: ref.mimeType, alt };
    },
    async getArtifact(id) {
      const [ref, bytes] = await Promise.all([artifacts.ref(id), artifacts.get(id)]);
      return ref && bytes ? { ref, bytes } : undefined;
    },
  };
}

/** A result that says one thing in words. */
export function textResult(call: ToolCall, outcome: ToolOutcome, text: string): ToolResultPart {
  return { ...head(call, outcome), content: [{ type: "text", text }] };
}

function head(call: ToolCall, outcome: ToolOutcome): Omit<ToolResultPart, "content"> {
  return { type: "tool_result", callId: call.id, toolName: call.toolName, outcome };
}

function unknownTool(name: string, registry: ToolRegistry): string {
  const known = registry.listTools().map((tool) => tool.name);
  const near = nearestName(name, known);
  return `There is no tool "${name}".${near ? ` Did you mean "${near}"?` : ` Known: ${known.join(", ") || "none"}.`}`;
}

function timeoutError(tool: Tool, timeoutMs: number): AgentError {
  const message = `"${tool.name}" did not end within ${timeoutMs} ms and was given up; it may have had effects already.`;
  return new AgentError({ kind: "timeout", code: "tool", message });
}
