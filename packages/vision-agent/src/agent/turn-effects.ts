// messages of a conversation → what was asked, what the tools did since, what they refused
import type { Message, ToolCall } from "@vision-agent/agent-core";
import type { ClaimKind } from "./claim-words.data.ts";

/** What a tool does to the world. `captured` gives a picture; `other` is a change without a word for it. */
export type EffectKind = Exclude<ClaimKind, "promised" | "done"> | "captured" | "looked" | "other";

/** A call that was answered. */
export interface TurnEffect {
  readonly tool: string;
  readonly kind: EffectKind;
  /** False: the tool failed, was denied, or did not run. */
  readonly ok: boolean;
  /** What it was about, in small letters. */
  readonly about: string;
  /** What the tool answered. */
  readonly answer: string;
}

export interface TurnRecord {
  /** The person's last words. */
  readonly instruction: string;
  /** Since then. */
  readonly effects: readonly TurnEffect[];
  /** Before, as far as the conversation is shown. */
  readonly earlier: readonly TurnEffect[];
}

/** By name. A tool that is not here is judged by the first word of its name. */
const KINDS: Readonly<Record<string, EffectKind>> = {
  create_watch: "started",
  remove_watch: "removed",
  save_camera: "changed",
  cancel_task: "removed",
  capture_frame: "captured",
  take_snapshot: "captured",
  get_pipeline_results: "captured",
};

const VERBS: readonly (readonly [RegExp, EffectKind])[] = [
  [/^(?:start|create|add|begin|enable|launch|register|open)_/, "started"],
  [/^(?:stop|disable|end|close)_/, "stopped"],
  [/^pause_/, "paused"],
  [/^(?:resume|restart)_/, "resumed"],
  [/^(?:remove|delete|cancel|clear|forget)_/, "removed"],
  [/^(?:send|notify|post|email|forward)_/, "sent"],
  [/^schedule_/, "scheduled"],
  [/^(?:remember|save|store|note)(?:_|$)/, "remembered"],
  [/^(?:set|update|edit|change|rename|move|write|configure)_/, "changed"],
  [/^(?:get|list|search|recall|look|ask|detect|run|validate|read|load|think|describe|show|find)(?:_|$)/, "looked"],
];

export function effectKindOf(tool: string): EffectKind {
  return KINDS[tool] ?? VERBS.find(([verb]) => verb.test(tool))?.[1] ?? "other";
}

/** Reads nothing but the messages, so it holds after a pause and a restart too. */
export function readTurn(messages: readonly Message[]): TurnRecord {
  const at = messages.findLastIndex(isInstruction);
  const instruction = messages[at];
  return {
    instruction: instruction === undefined ? "" : textOf(instruction),
    effects: effectsOf(messages.slice(at + 1)),
    earlier: effectsOf(messages.slice(0, Math.max(0, at))),
  };
}

function isInstruction({ role, origin, parts }: Message): boolean {
  return role === "user" && origin !== "core" && parts.some(({ type }) => type === "text");
}

function effectsOf(messages: readonly Message[]): readonly TurnEffect[] {
  const calls = new Map<string, ToolCall>();
  const effects: TurnEffect[] = [];
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool_call") calls.set(part.call.id, part.call);
    if (part.type !== "tool_result") continue;
    const answer = part.content.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n");
    const args = calls.get(part.callId)?.arguments ?? {};
    const effect: TurnEffect = {
      tool: part.toolName,
      kind: effectKindOf(part.toolName),
      ok: part.outcome === "ok",
      about: `${JSON.stringify(args)}\n${answer}`.toLowerCase(),
      answer,
    };
    effects.push(effect);
    // What takes the place of another removes it, too.
    if ("replaces" in args) effects.push({ ...effect, kind: "removed" });
  }
  return effects;
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}
