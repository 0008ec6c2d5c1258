// the request in wire order + a cache plan → the same with cache_control at the named places
import type Anthropic from "@anthropic-ai/sdk";
import type { Warn } from "../../types/events.ts";
import type { CachePlan, ModelProfile } from "../llm-client.ts";
import type { WireTurn } from "./wire-content.ts";

/** The parts of a request that the cache is keyed by, in the order that it reads them. */
export interface CacheableParts {
  readonly tools: readonly Anthropic.ToolUnion[];
  readonly system: readonly { readonly id: string; readonly block: Anthropic.TextBlockParam }[];
  readonly turns: readonly WireTurn[];
}

type Ttl = CachePlan["breakpoints"][number]["ttl"];
type After = CachePlan["breakpoints"][number]["after"];

/** Thinking and blocks of the provider go back as they came, so they carry no mark. */
const MARKABLE: ReadonlySet<string> = new Set(["text", "image", "tool_use", "tool_result"]);

/** VA-6: without a plan the last tool and the last system block end in a mark. */
export function markCache(
  parts: CacheableParts,
  plan: CachePlan | undefined,
  profile: ModelProfile,
  warn: Warn,
): Pick<Anthropic.MessageCreateParams, "tools" | "system" | "messages"> {
  const marks = profile.cache?.kind === "none" ? new Map() : findMarks(parts, plan ?? usualPlan(parts), profile, warn);
  const mark = <T extends object>(block: T): T => {
    const ttl = marks.get(block);
    return ttl ? { ...block, cache_control: { type: "ephemeral", ttl: ttl === "1h" ? ttl : undefined } } : block;
  };
  const { tools, system, turns } = parts;
  return {
    tools: tools.length > 0 ? tools.map(mark) : undefined,
    system: system.length > 0 ? system.map(({ block }) => mark(block)) : undefined,
    messages: turns.map(({ role, blocks }) => ({ role, content: blocks.map(({ block }) => mark(block)) })),
  };
}

function usualPlan({ system }: CacheableParts): CachePlan {
  const last = system.at(-1);
  const after: readonly After[] = ["tools", ...(last ? [{ system: last.id }] : [])];
  return { breakpoints: after.map((place) => ({ after: place, ttl: "5m" })), reason: "usual" };
}

function findMarks(
  parts: CacheableParts,
  plan: CachePlan,
  profile: ModelProfile,
  warn: Warn,
): ReadonlyMap<object, Ttl> {
  const order: readonly object[] = [
    ...parts.tools,
    ...parts.system.map(({ block }) => block),
    ...parts.turns.flatMap(({ blocks }) => blocks.map(({ block }) => block)),
  ];
  const found = new Map<object, Ttl>();
  for (const { after, ttl } of plan.breakpoints) {
    const block = findBlock(parts, after);
    // No tools means nothing to end there; a name that is not in the request is a mistake of the plan.
    if (!block && after !== "tools") warn("cache_plan", `There is nothing to cache after ${JSON.stringify(after)}.`);
    if (block && found.get(block) !== "1h") found.set(block, ttl);
  }
  const sorted = [...found].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const max = profile.cache?.maxBreakpoints ?? 4;
  if (sorted.length > max) warn("cache_plan", `${profile.id} takes ${max} marks, the plan has ${sorted.length}.`);
  return longestFirst(sorted.slice(-max), warn);
}

/** The provider refuses an hour after five minutes. */
function longestFirst(marks: readonly (readonly [object, Ttl])[], warn: Warn): Map<object, Ttl> {
  let shortest: Ttl = "1h";
  return new Map(
    marks.map(([block, ttl]) => {
      if (ttl === "1h" && shortest === "5m") warn("cache_plan", "A mark for an hour came after one for five minutes.");
      if (ttl === "5m") shortest = "5m";
      return [block, shortest];
    }),
  );
}

function findBlock({ tools, system, turns }: CacheableParts, after: After): object | undefined {
  if (after === "tools") return tools.at(-1);
  if ("system" in after) return system.find(({ id }) => id === after.system)?.block;
  const blocks = turns.flatMap((turn) => turn.blocks);
  return blocks.findLast(({ from, block }) => from === after.message && MARKABLE.has(block.type))?.block;
}
