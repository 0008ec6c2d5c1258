// run events → what a person sees of one turn
import type { ChatMessage, Effect, Json, Receipt, RunEvent, RunOutcome } from "@vision-agent/protocol";

export interface StepView {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: Json;
  /** Undefined while the tool works. */
  readonly result?:
    | {
        readonly outcome: string;
        readonly text: string;
        readonly images: readonly string[];
        readonly duration_ms: number | null;
      }
    | undefined;
}

/** The pieces of a turn, in the order they came. */
export type TurnPart =
  | { readonly kind: "text"; readonly messageId: string; readonly text: string }
  | { readonly kind: "thinking"; readonly messageId: string; readonly text: string }
  | { readonly kind: "step"; readonly step: StepView }
  | { readonly kind: "images"; readonly images: readonly string[] }
  | { readonly kind: "said"; readonly text: string }
  /** What the turn changed; without effects it changed nothing. */
  | { readonly kind: "receipt"; readonly effects: readonly Effect[] }
  | { readonly kind: "notice"; readonly tone: "info" | "warning" | "critical"; readonly text: string };

/** The outcome of a call that waits for a person, or that was left out. */
export const NOT_EXECUTED = "not_executed";

export type RunStatus = "running" | RunOutcome["status"];

export interface RunView {
  /** Empty until the run has said its name. */
  readonly runId: string;
  readonly speaker: string;
  readonly status: RunStatus;
  readonly parts: readonly TurnPart[];
  /** What it waits for, when it is not simply thinking. */
  readonly waitingFor?: string | undefined;
}

export const NEW_RUN: RunView = { runId: "", speaker: "", status: "running", parts: [] };

export function reduceRun(view: RunView, event: RunEvent): RunView {
  const moving: RunView = { ...view, waitingFor: undefined };
  switch (event.type) {
    case "run_started":
      return { ...moving, runId: event.run_id, speaker: event.speaker };
    case "text_delta":
    case "thinking_delta":
      return { ...moving, parts: appendText(view.parts, event) };
    case "discarded":
      return {
        ...moving,
        parts: view.parts.filter((part) => !("messageId" in part) || part.messageId !== event.message_id),
      };
    case "tool_call": {
      const { call_id, tool, arguments: given } = event;
      return { ...moving, parts: [...view.parts, { kind: "step", step: { call_id, tool, arguments: given } }] };
    }
    case "tool_result":
      return { ...moving, parts: finishStep(view.parts, event) };
    case "steered":
      return moving;
    case "retry":
      return { ...view, waitingFor: `Trying again in ${Math.ceil(event.delay_ms / 1000)} s: ${event.reason}` };
    case "warning":
      return { ...moving, parts: [...view.parts, { kind: "notice", tone: "warning", text: event.message }] };
    case "error":
      return { ...moving, parts: [...view.parts, { kind: "notice", tone: "critical", text: event.message }] };
    case "run_ended":
      return endRun(moving, event.outcome);
  }
}

/** A sentence said while the turn goes on. */
export function addSaid(view: RunView, text: string): RunView {
  return { ...view, parts: [...view.parts, { kind: "said", text }] };
}

/** A message read back from the session, in the same pieces. */
export function toParts(message: ChatMessage): readonly TurnPart[] {
  const steps: readonly TurnPart[] = message.steps.map((step) => ({
    kind: "step",
    step: {
      call_id: step.call_id,
      tool: step.tool,
      arguments: step.arguments,
      result: { outcome: step.outcome, text: step.text, images: step.images, duration_ms: step.duration_ms },
    },
  }));
  const text: readonly TurnPart[] =
    message.text === "" ? [] : [{ kind: "text", messageId: message.id, text: message.text }];
  const notice: readonly TurnPart[] =
    message.notice === undefined ? [] : [{ kind: "notice", tone: "info", text: message.notice }];
  return [...withImages([...steps, ...text], message.images), ...notice, ...receiptPart(message.receipt)];
}

/** Everything the assistant wrote, for a voice that reads it aloud. */
export function textOf(parts: readonly TurnPart[]): string {
  return parts.flatMap((part) => (part.kind === "text" || part.kind === "notice" ? [part.text] : [])).join("\n");
}

function appendText(
  parts: readonly TurnPart[],
  event: Extract<RunEvent, { type: "text_delta" | "thinking_delta" }>,
): readonly TurnPart[] {
  const kind = event.type === "text_delta" ? "text" : "thinking";
  const last = parts.at(-1);
  if (last?.kind === kind && last.messageId === event.message_id) {
    return [...parts.slice(0, -1), { ...last, text: last.text + event.text }];
  }
  return [...parts, { kind, messageId: event.message_id, text: event.text }];
}

function finishStep(
  parts: readonly TurnPart[],
  event: Extract<RunEvent, { type: "tool_result" }>,
): readonly TurnPart[] {
  const { call_id, tool, outcome, text, images, duration_ms } = event;
  const result = { outcome, text, images, duration_ms };
  const known = parts.some((part) => part.kind === "step" && part.step.call_id === call_id);
  // Attached in the middle of a run, the call itself may be missing.
  if (!known) return [...parts, { kind: "step", step: { call_id, tool, arguments: null, result } }];
  return parts.map((part) =>
    part.kind === "step" && part.step.call_id === call_id ? { kind: "step", step: { ...part.step, result } } : part,
  );
}

function endRun(view: RunView, outcome: RunOutcome): RunView {
  const parts = view.parts.map(leftOut);
  const written = parts.some((part) => part.kind === "text");
  const text: readonly TurnPart[] =
    written || outcome.text === "" ? [] : [{ kind: "text", messageId: view.runId, text: outcome.text }];
  return {
    ...view,
    status: outcome.status,
    parts: [
      ...withImages([...parts, ...text], outcome.images),
      ...endNotice(view, outcome),
      ...receiptPart(outcome.receipt),
    ],
  };
}

function receiptPart(receipt: Receipt | undefined): readonly TurnPart[] {
  return receipt === undefined ? [] : [{ kind: "receipt", effects: receipt.effects }];
}

/** A call without a result when the run ends was not made: it waits for a person, or the run was stopped before it. */
function leftOut(part: TurnPart): TurnPart {
  if (part.kind !== "step" || part.step.result !== undefined) return part;
  return {
    kind: "step",
    step: { ...part.step, result: { outcome: NOT_EXECUTED, text: "", images: [], duration_ms: null } },
  };
}

function endNotice(view: RunView, { status, reason, pause_id }: RunOutcome): readonly TurnPart[] {
  if (status === "finished") return [];
  if (status === "cancelled") return [{ kind: "notice", tone: "info", text: "Stopped." }];
  if (status === "stopped") return [{ kind: "notice", tone: "warning", text: reason }];
  // A pause with an id has a card of its own, with buttons.
  if (status === "paused") return pause_id ? [] : [{ kind: "notice", tone: "warning", text: reason }];
  const told = view.parts.some((part) => part.kind === "notice" && part.tone === "critical");
  return told ? [] : [{ kind: "notice", tone: "critical", text: reason }];
}

function withImages(parts: readonly TurnPart[], images: readonly string[]): readonly TurnPart[] {
  const shown = new Set(parts.flatMap((part) => (part.kind === "step" ? (part.step.result?.images ?? []) : [])));
  const more = images.filter((image) => !shown.has(image));
  return more.length === 0 ? parts : [...parts, { kind: "images", images: more }];
}
