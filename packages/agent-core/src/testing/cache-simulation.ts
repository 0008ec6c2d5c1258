// requests with cache marks → how much of each a prompt cache would serve
import { createHash } from "node:crypto";
import type { Clock } from "../types/clock.ts";
import type { WireRequest } from "./wire-checks.ts";

/** Tokens of one prompt, as the provider would bill them. */
export interface SimulatedUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
}

export interface CacheSimulation {
  /** Counts one request and remembers what it wrote. */
  take(request: WireRequest): SimulatedUsage;
}

const CHARS_PER_TOKEN = 4;
const LOOKBACK_BLOCKS = 20;
const TTL_MS: Readonly<Record<string, number>> = { "5m": 300_000, "1h": 3_600_000 };

interface Place {
  readonly key: string;
  /** Of the prompt up to here. */
  readonly tokens: number;
  readonly ttl: string | undefined;
}

/** A cache keyed by the exact prefix. `minTokens` is the smallest prefix that is kept (default 512). */
export function createCacheSimulation(options: {
  readonly clock: Clock;
  readonly minTokens?: number;
}): CacheSimulation {
  const { clock, minTokens = 512 } = options;
  const kept = new Map<string, number>();
  const isKept = ({ key }: Place): boolean => (kept.get(key) ?? 0) > clock.now();
  return {
    take(request) {
      const places = toPlaces(request);
      const marks = places.flatMap(({ ttl, tokens }, index) => (ttl && tokens >= minTokens ? [index] : []));
      const hit = Math.max(-1, ...marks.map((mark) => lastKept(places, mark, isKept)));
      const usage = toUsage(places, marks, hit);
      for (const mark of marks) remember(kept, places[mark], clock.now());
      if (hit >= 0) remember(kept, places[hit], clock.now());
      return usage;
    },
  };
}

function lastKept(places: readonly Place[], mark: number, isKept: (place: Place) => boolean): number {
  const from = Math.max(0, mark - LOOKBACK_BLOCKS);
  const found = places.slice(from, mark + 1).findLastIndex(isKept);
  return found < 0 ? -1 : from + found;
}

function toUsage(places: readonly Place[], marks: readonly number[], hit: number): SimulatedUsage {
  const read = places[hit]?.tokens ?? 0;
  let done = read;
  const written: Record<string, number> = { "5m": 0, "1h": 0 };
  for (const mark of marks) {
    const place = places[mark];
    if (!place?.ttl || place.tokens <= done) continue;
    written[place.ttl] = (written[place.ttl] ?? 0) + place.tokens - done;
    done = place.tokens;
  }
  return {
    input_tokens: (places.at(-1)?.tokens ?? 0) - done,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: done - read,
    cache_creation: { ephemeral_5m_input_tokens: written["5m"] ?? 0, ephemeral_1h_input_tokens: written["1h"] ?? 0 },
  };
}

function remember(kept: Map<string, number>, place: Place | undefined, nowMs: number): void {
  if (!place) return;
  const untilMs = nowMs + (TTL_MS[place.ttl ?? "5m"] ?? 0);
  kept.set(place.key, Math.max(untilMs, kept.get(place.key) ?? 0));
}

/** Tools, system and messages in the order in which the provider reads them. */
function toPlaces(request: WireRequest): readonly Place[] {
  const { tools = [], system = [] } = request as { tools?: readonly object[]; system?: readonly object[] };
  const inMessages = request.messages.flatMap(({ role, content }) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) => ({ ...block, role })),
  );
  let chain: string = request.model;
  let chars = 0;
  return [...tools, ...system, ...inMessages].map((block) => {
    const { cache_control: mark, ...bare } = block as { cache_control?: { ttl?: string } };
    const text = JSON.stringify(bare);
    chars += text.length;
    chain = createHash("sha256").update(chain).update(text).digest("hex");
    return { key: chain, tokens: Math.ceil(chars / CHARS_PER_TOKEN), ttl: mark ? (mark.ttl ?? "5m") : undefined };
  });
}
