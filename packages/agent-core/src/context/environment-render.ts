// state or changes → lines of text within a token limit
import type { EnvPatch } from "../types/environment.ts";
import type { Json } from "../types/json.ts";
import { toPointer, valueAt } from "./json-pointer.ts";
import type { TokenCounter } from "./token-counter.ts";

export interface RenderSpace {
  readonly maxTokens: number;
  readonly counter: TokenCounter;
}

export interface RenderedState {
  readonly text: string;
  /** Pointers of what had no room. */
  readonly dropped: readonly string[];
}

type Line = { readonly pointer: string; readonly text: string };

/** What matters most for the next step comes first. */
const ORDER = ["task", "system", "extensions", "knowledge", "workspace"] as const;
/** Pointers that are named one by one when something is left out. */
const NAMED_DROPS = 6;

export function renderSnapshot(state: Json, version: number, space: RenderSpace): RenderedState {
  const lines = ORDER.flatMap((section) => {
    const fields = valueAt(state, toPointer(section));
    return Object.entries(fields ?? {}).flatMap(([name, value]) =>
      isEmpty(value) ? [] : toLines(toPointer(section, name), value),
    );
  });
  const others = Object.entries(state ?? {}).filter(([name]) => !ORDER.some((section) => section === name));
  const own = others.flatMap(([name, value]) => (isEmpty(value) ? [] : toLines(toPointer(name), value)));
  return fillSpace(`env v${version}`, [...own, ...lines], space);
}

export function renderDiff(
  changes: readonly { readonly version: number; readonly patches: readonly EnvPatch[] }[],
  space: RenderSpace,
): RenderedState {
  const [first] = changes;
  const last = changes.at(-1);
  if (!first || !last) return { text: "", dropped: [] };
  const lines = changes.flatMap((change) => change.patches.map(toPatchLine));
  return fillSpace(`env v${first.version - 1} → v${last.version}`, withoutOverwritten(lines), space);
}

/** Lists and tables give a line each item, so that a part of them can stay when not all has room. */
function toLines(pointer: string, value: Json): readonly Line[] {
  if (typeof value !== "object" || value === null) return [toLine(pointer, value)];
  if (Array.isArray(value)) return value.map((item, index) => toLine(`${pointer}/${index}`, item)).reverse();
  return Object.entries(value).map(([name, item]) => toLine(pointer + toPointer(name), item));
}

function toLine(pointer: string, value: Json): Line {
  return { pointer, text: `${pointer}: ${JSON.stringify(value)}` };
}

function toPatchLine(patch: EnvPatch): Line {
  switch (patch.op) {
    case "set":
      return toLine(patch.path, patch.value);
    case "append":
      return { pointer: `${patch.path}/-`, text: `${patch.path} += ${JSON.stringify(patch.value)}` };
    case "remove":
      return { pointer: patch.path, text: `${patch.path}: removed` };
  }
}

/** A later line for the same place stands for the earlier ones; what was appended stays. */
function withoutOverwritten(lines: readonly Line[]): readonly Line[] {
  const last = new Map(lines.map((line, index) => [line.pointer, index]));
  return lines.filter((line, index) => line.pointer.endsWith("/-") || last.get(line.pointer) === index);
}

function fillSpace(header: string, lines: readonly Line[], { maxTokens, counter }: RenderSpace): RenderedState {
  if (lines.length === 0) return { text: "", dropped: [] };
  const whole = [header, ...lines.map((line) => line.text)].join("\n");
  if (counter.text(whole) <= maxTokens) return { text: whole, dropped: [] };
  const kept: string[] = [header];
  const dropped: string[] = [];
  // Room that the notice may need, whichever lines are dropped.
  const longest = notice(lines.map((line) => line.pointer).sort((a, b) => b.length - a.length));
  // Each line is counted with its break; a sum of parts is never less than the whole.
  let left = maxTokens - counter.text(`${header}\n`) - counter.text(longest);
  for (const line of lines) {
    const cost = counter.text(`${line.text}\n`);
    if (cost <= left) {
      kept.push(line.text);
      left -= cost;
    } else dropped.push(line.pointer);
  }
  const text = [...kept, notice(dropped)].join("\n");
  if (counter.text(text) <= maxTokens) return { text, dropped };
  return { text: "", dropped: lines.map((line) => line.pointer) };
}

function notice(dropped: readonly string[]): string {
  const more = dropped.length - NAMED_DROPS;
  return `[no room for: ${dropped.slice(0, NAMED_DROPS).join(", ")}${more > 0 ? ` and ${more} more` : ""}]`;
}

function isEmpty(value: Json): boolean {
  if (value === "" || value === 0 || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
