// what the tools said so far → the next calls, or the answer
import { type ToolDataOf, type ToolName, toolDataSchemas } from "@vision-agent/protocol";
import type { Clause, Known } from "../intent.ts";
import type { WallClock } from "../slots/find-period.ts";

export interface PlannedCall {
  readonly tool: string;
  readonly args: { readonly [key: string]: unknown };
  /** What it does, after "Should I": for calls whose arguments do not say it. */
  readonly will?: string;
}

/** The result of one tool call: for people, and as data where it went well. */
export interface ToolAnswer {
  readonly tool: string;
  readonly ok: boolean;
  readonly text: string;
  readonly data?: unknown;
}

/** What the tool gave back; undefined when it failed or gave no data. */
export function dataOf<N extends ToolName>(answer: ToolAnswer | undefined, tool: N): ToolDataOf<N> | undefined {
  if (answer?.ok !== true || answer.data === undefined) return undefined;
  const read = toolDataSchemas[tool].safeParse(answer.data);
  return read.success ? (read.data as ToolDataOf<N>) : undefined;
}

/** Calls that were made together, with what came back. */
export interface Batch {
  readonly calls: readonly PlannedCall[];
  readonly answers: readonly ToolAnswer[];
}

export interface Outcome {
  readonly text: string;
  /** The text asks for something that the next turn may bring. */
  readonly open?: boolean;
  /** What is done when the person says yes; absent when it is what was asked for. */
  readonly proposal?: Clause;
}

/** Yields calls that can be made side by side, is given their answers in the same order, and ends with what to say. */
export type Plan = Generator<readonly PlannedCall[], Outcome, readonly ToolAnswer[]>;
/** A part of a plan that finds something out. */
export type Steps<T> = Generator<readonly PlannedCall[], T, readonly ToolAnswer[]>;

/** What was made before and gives way once its successor is there. */
export interface Made {
  readonly kind: "watch" | "pipeline";
  readonly id: string;
}

export interface App {
  readonly known: Known;
  readonly clock: WallClock;
  /** Detector of a camera or an address. */
  readonly modelFor: (camera: string) => string;
  /** Artifact ids of the pictures that came with the message, or last before it. */
  readonly images: readonly string[];
  /** Reads the words of a watch again, to change it. */
  readonly read: (words: string) => readonly Clause[];
}

/** A clause with what it replaces. */
export interface Wish {
  readonly clause: Clause;
  readonly replaces: readonly Made[];
  /** A yes was given, or the sentence is clear; else nothing changes before somebody says yes. */
  readonly isSure: boolean;
}

export function* callOne(tool: string, args: PlannedCall["args"], will?: string): Steps<ToolAnswer> {
  const [answer] = yield [{ tool, args, ...(will !== undefined && { will }) }];
  return answer ?? { tool, ok: false, text: "There was no answer." };
}

export function say(text: string): Outcome {
  return { text };
}

export function ask(text: string): Outcome {
  return { text, open: true };
}

export interface PlanRun {
  /** Set when the answers do not suffice yet. */
  readonly calls?: readonly PlannedCall[];
  readonly outcome?: Outcome;
  /** The batches this plan has used. */
  readonly used: readonly Batch[];
}

/** The app changed so much during the turn that the words mean something else now. */
const CHANGED = 'Something changed while I was at it, so I stopped there. Ask "what is running?" to see how it stands.';

function isSameCalls(planned: readonly PlannedCall[], made: readonly PlannedCall[]): boolean {
  return planned.length === made.length && planned.every(({ tool }, at) => tool === made[at]?.tool);
}

/** Plays a plan from its beginning with the answers that are there. The same answers give the same calls. `guard` says what comes in place of calls. */
export function runPlan(
  plan: Plan,
  batches: readonly Batch[],
  guard: (calls: readonly PlannedCall[]) => Outcome | undefined,
): PlanRun {
  let step = plan.next();
  let at = 0;
  while (step.done !== true) {
    // Nothing to call is answered with nothing.
    if (step.value.length === 0) {
      step = plan.next([]);
      continue;
    }
    const instead = guard(step.value);
    if (instead !== undefined) return { outcome: instead, used: batches.slice(0, at) };
    const batch = batches[at];
    if (batch === undefined) return { calls: step.value, used: batches };
    if (!isSameCalls(step.value, batch.calls)) return { outcome: say(CHANGED), used: batches.slice(0, at) };
    step = plan.next(batch.answers);
    at += 1;
  }
  return { outcome: step.value, used: batches.slice(0, at) };
}
