// transcript → what is sent, its changes written down first

import type { PreparedContext, PrepareInput } from "../context/context-manager.ts";
import { toView } from "../context/history.ts";
import { reasoningIn } from "../context/pruning.ts";
import { raceAbort } from "../types/child-abort.ts";
import type { RunScope } from "./run-scope.ts";

/** Throws `AgentError` code `context_overflow` when nothing makes it fit. */
export async function prepareTurn(scope: RunScope): Promise<PreparedContext> {
  await writeStateNote(scope);
  const prepared = await raceAbort(scope.context.prepare(await inputOf(scope)), scope.signal);
  return commit(prepared, scope);
}

/** After the provider refused the size. Undefined when there is nothing left to give. */
export async function shrinkTurn(scope: RunScope, why: "overflow" | "too_large"): Promise<PreparedContext | undefined> {
  scope.journal.moveTo("compacting", why);
  const prepared = await raceAbort(scope.context.shrink(await inputOf(scope), why), scope.signal);
  return prepared && commit(prepared, scope);
}

/** After the provider refused thinking that it once signed: it stays in the transcript and is no longer sent. */
export async function dropReasoning(scope: RunScope): Promise<PreparedContext> {
  const { journal } = scope;
  const view = toView(journal.entries());
  const edits = reasoningIn(view, 0);
  await journal.write({ type: "view", epoch: view.epoch + 1, edits });
  const tokens = edits.length;
  journal.emit({ type: "context", action: "reasoning_dropped", before: tokens, after: 0, detail: { parts: tokens } });
  journal.warn("reasoning_dropped", "Earlier thinking no longer fits the conversation and was left out.");
  return prepareTurn(scope);
}

/** X4: what changed is told at the end of the conversation, never in the middle of it. */
async function writeStateNote({ env, journal }: RunScope): Promise<void> {
  const note = env.note();
  if (!note) return;
  await journal.write({ type: "message", message: journal.newMessage("user", "core", [note]) });
}

/** Lines are on disk before the request that follows from them is sent. */
async function commit(prepared: PreparedContext, scope: RunScope): Promise<PreparedContext> {
  const { journal, agent } = scope;
  for (const line of prepared.lines) await journal.write(line);
  for (const event of prepared.events) journal.emit(event);
  const { spent, paidMicroUsd } = prepared;
  if (spent) journal.noteUsage(spent, paidMicroUsd ?? (await agent.gate.book(spent, scope)));
  if (!prepared.lines.some((line) => line.type === "compaction")) return prepared;
  journal.noteCompaction();
  return tellStateAgain(prepared, scope);
}

/** A summary has swallowed the notes: the state is told again, whole. */
async function tellStateAgain(prepared: PreparedContext, scope: RunScope): Promise<PreparedContext> {
  if (!scope.env.note()) return prepared;
  await writeStateNote(scope);
  const again = await raceAbort(scope.context.prepare(await inputOf(scope)), scope.signal);
  const [before, after] = [prepared.report.tokens.total, again.report.tokens.total];
  scope.journal.emit({ type: "context", action: "state_snapshot", before, after });
  for (const line of again.lines) await scope.journal.write(line);
  for (const event of again.events) scope.journal.emit(event);
  return again;
}

async function inputOf(scope: RunScope): Promise<PrepareInput> {
  const { journal, agent, settings } = scope;
  const entries = journal.entries();
  await agent.refs.load(entries);
  return {
    entries,
    system: scope.system,
    tools: agent.registry.listTools().filter(({ name }) => isToolAllowed(name, settings.tools)),
    profile: scope.profile,
    model: agent.options.model,
    config: settings.config,
    signal: scope.signal,
    newMessageId: () => journal.newId("msg"),
    now: () => journal.now(),
  };
}

export function isToolAllowed(name: string, tools: RunScope["settings"]["tools"]): boolean {
  return (tools?.allow?.includes(name) ?? true) && !tools?.deny?.includes(name);
}
