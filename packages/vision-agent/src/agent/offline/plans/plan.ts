// what the tools said so far → the next calls, or the answer
import { type ToolDataOf, type ToolName, toolDataSchemas } from "@vision-agent/protocol";
import type { Act, Clause, Known } from "../intent.ts";
import type { WallClock } from "../slots/find-period.ts";

export interface PlannedCall {
  readonly tool: string;
  /** What is undefined is left out of the call. */
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
  /** A person said no to it. */
  readonly denied?: boolean;
}

/** What the tool gave back; undefined when it failed or gave no data. */
export function dataOf<N extends ToolName>(answer: ToolAnswer | undefined, tool: N): ToolDataOf<N> | undefined {
  if (answer?.ok !== true || answer.tool !== tool) return undefined;
  return toolDataSchemas[tool].safeParse(answer.data).data as ToolDataOf<N> | undefined;
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
  /** What gives way to the proposal, where only the plan knows it. */
  readonly replaces?: readonly Made[];
}

/** A part of a plan that finds something out: it yields calls that can be made side by side and is given their answers in the same order, or yields what to say and ends there. */
export type Steps<T> = Generator<readonly PlannedCall[] | Outcome, T, readonly ToolAnswer[]>;
/** Ends with what to say. */
export type Plan = Steps<Outcome>;

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

/** The wish for one kind of act. */
export type WishOf<K extends Act["kind"]> = Wish & { readonly clause: { readonly act: Extract<Act, { kind: K }> } };

/** Parts that are empty are left out. */
export function say(...parts: readonly string[]): Outcome {
  return { text: parts.filter((part) => part !== "").join(" ") };
}

export function ask(text: string): Outcome {
  return { text, open: true };
}

/** Ends the whole plan with these words. */
export function* endWith(outcome: Outcome): Steps<never> {
  for (;;) yield outcome;
}

export function* callOne(tool: string, args: PlannedCall["args"], will?: string): Steps<ToolAnswer> {
  const [answer] = yield [{ tool, args, will }];
  return answer ?? { tool, ok: false, text: "There was no answer." };
}

interface NeededCall extends Pick<PlannedCall, "will"> {
  readonly args?: PlannedCall["args"];
  /** What to say before the tool's own reason. */
  readonly failed: string;
}

/** What the tool gives back; where it gives nothing, the plan ends with why. */
export function* need<N extends ToolName>(
  tool: N,
  { args = {}, will, failed }: NeededCall,
): Steps<ToolDataOf<N> & { readonly text: string }> {
  const answer = yield* callOne(tool, args, will);
  const data = dataOf(answer, tool);
  return data === undefined ? yield* endWith(failure(failed, answer)) : { ...data, text: answer.text };
}

/** The tool's own reason, which says what to do. */
export function failure(what: string, answer: ToolAnswer | undefined): Outcome {
  return { text: `${what}: ${answer?.text ?? "there was no answer."}` };
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

/** A no ends the whole plan: nothing else of it is done. */
const DENIED = "You said no, so I did nothing further.";

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
    const used = batches.slice(0, at);
    if ("text" in step.value) return { outcome: step.value, used };
    // Nothing to call is answered with nothing.
    if (step.value.length === 0) {
      step = plan.next([]);
      continue;
    }
    const instead = guard(step.value);
    if (instead !== undefined) return { outcome: instead, used };
    const batch = batches[at];
    if (batch === undefined) return { calls: step.value, used };
    if (!isSameCalls(step.value, batch.calls)) return { outcome: say(CHANGED), used };
    if (batch.answers.some(({ denied }) => denied)) return { outcome: say(DENIED), used: batches.slice(0, at + 1) };
    step = plan.next(batch.answers);
    at += 1;
  }
  return { outcome: step.value, used: batches.slice(0, at) };
}
