// the number of a turn → what is said, done and answered in it, on either side of a kill
import {
  type BudgetLedger,
  type Clock,
  createBudgetLedger,
  type LLMRequest,
  type ToolOutcome,
} from "@vision-agent/agent-core";
import { createFileLedgerStore } from "@vision-agent/agent-core/node";
import type { ScriptStep } from "@vision-agent/agent-core/testing";

/** What the day has told somebody is so. Written outside the workspace, before anything else is done. */
export type Mark =
  | { readonly kind: "turn"; readonly turn: number }
  | { readonly kind: "turn_over"; readonly turn: number }
  /** This call has had its effect, and then: its result was told. */
  | { readonly kind: "done" | "effect"; readonly callId: string }
  | { readonly kind: "writing"; readonly path: string }
  /** A line of a file that the disk was said to have. */
  | { readonly kind: "line"; readonly path: string; readonly line: string }
  /** An alert reached the person. */
  | { readonly kind: "sent"; readonly alertId: string; readonly text: string }
  /** The person reads a question, is about to answer it, and knows that the answer was taken. */
  | { readonly kind: "asked" | "answering" | "answered"; readonly pauseId: string }
  /** From here on the call costs money, whatever becomes of the answer. */
  | { readonly kind: "model_asked" }
  | { readonly kind: "reserving" | "settled"; readonly key: string; readonly microUsd: number }
  /** A watch, by what it was asked for in words. */
  | { readonly kind: "removing" | "removed"; readonly words: string }
  /** Work on a due time of a job begins. */
  | { readonly kind: "job_run"; readonly key: string }
  | { readonly kind: "problem"; readonly message: string };

/** So many turns of the event loop after so many marks, of one kind where it is named. */
export interface Death {
  readonly kind?: Mark["kind"];
  readonly marks: number;
  readonly ticks: number;
}

/** What a process of the day is told to do. */
export interface DayRun {
  /** Turns, both included. */
  readonly first: number;
  readonly last: number;
  /** Absent: it ends in good order. */
  readonly death?: Death;
}

type PlannedCall = NonNullable<ScriptStep["toolCalls"]>[number] & { readonly id: string };

const DAY_START_MS = Date.UTC(2026, 5, 1);
const DAY_LIMIT_MICRO_USD = 1_000_000_000;
export const TURN_MS = 120_000;
export const SESSIONS = ["day-0", "day-1", "day-2"] as const;
const CATEGORIES = ["observation", "knowledge", "preference"] as const;
/** What each tool leaves behind is found by these words. */
const NOUNS: Readonly<Record<string, string>> = {
  remember: "note",
  send_alert: "alert",
  create_watch: "watch",
  schedule_task: "task",
};

export function timeOfTurn(turn: number): number {
  return DAY_START_MS + turn * TURN_MS;
}

/** Whether the person agrees to the watch of this turn. */
export function isAgreed(turn: number): boolean {
  return turn % 6 !== 0;
}

/** What turn number `turn` does, step by step; each effect says the number and ends with a word, so that a torn one shows. */
function planOf(turn: number): readonly (readonly PlannedCall[])[] {
  const call = (name: string, args: PlannedCall["args"] = {}): PlannedCall => ({ id: `${name}-${turn}`, name, args });
  const watch = {
    words: `watch ${turn} end`,
    cameras: ["street"],
    classes: ["person"],
    when: "stays",
    seconds: turn + 1,
  };
  return [
    [
      call("remember", { content: `note ${turn} end`, category: CATEGORIES[turn % 3]! }),
      call("send_alert", { text: `alert ${turn} end` }),
    ],
    turn % 2 === 0
      ? [call("create_watch", { ...watch, cooldown_seconds: 0 })]
      : [call("schedule_task", { instructions: `task ${turn} end`, cron: "0 3 1 1 *" })],
  ];
}

/** What the call leaves behind, in words; of a call made once more the same. */
export function wordsOf(callId: string): string {
  const [, tool = "", turn] = /^(\w+)-(\d+)/.exec(callId) ?? [];
  return `${NOUNS[tool]} ${turn} end`;
}

/**
 * Says what comes next in the plan of the last turn, as far as the conversation shows it. A call of which it reads that
 * it was not made is made once more, as a model would: whoever wrongly says so has the effect twice.
 */
export function nextStep({ messages }: LLMRequest): ScriptStep {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const text = messages[asked]?.parts.find((part) => part.type === "text")?.text ?? "";
  const turn = /^Turn (\d+)$/.exec(text)?.[1];
  if (turn === undefined) return { text: "HEARTBEAT_OK" };
  const parts = messages.slice(asked).flatMap((message) => message.parts);
  const outcomes = parts.flatMap((part) => (part.type === "tool_result" ? [[part.callId, part.outcome] as const] : []));
  const steps = planOf(Number(turn)).map((calls) => calls.flatMap((call) => missing(call, outcomes)));
  const toolCalls = steps.find((calls) => calls.length > 0);
  return toolCalls ? { toolCalls } : { text: `Turn ${turn} is over.` };
}

function missing(call: PlannedCall, outcomes: readonly (readonly [string, ToolOutcome])[]): readonly PlannedCall[] {
  const own = outcomes.filter(([callId]) => callId === call.id || callId.startsWith(`${call.id}.`));
  if (own.some(([, outcome]) => outcome !== "not_executed")) return [];
  return [own.length === 0 ? call : { ...call, id: `${call.id}.${own.length}` }];
}

/** The money of the day, for the day itself and for whoever looks at it afterwards. */
export function openLedger(folder: string, clock: Pick<Clock, "now" | "sleep">): BudgetLedger {
  return createBudgetLedger({
    limits: { day: DAY_LIMIT_MICRO_USD },
    timeZone: "UTC",
    clock,
    store: createFileLedgerStore({ path: `${folder}/spending.jsonl`, owner: "day" }),
  });
}
