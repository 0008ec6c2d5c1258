// what a change found and left, by tool, page, API or command line → steps of undo.jsonl → put back
import { isDeepStrictEqual } from "node:util";
import type { IdSource } from "@vision-agent/agent-core";
import type { Effect, Undone, UndoRequest, UndoStep } from "@vision-agent/protocol";
import PQueue from "p-queue";
import type { BoundedLog } from "../../store/bounded-log.ts";
import { type ForgetfulStore, isCovered, toForgotten } from "../../store/forget-target.ts";
import { KindedError, reasonOf } from "../../workspace/kinded-error.ts";
import { PartialFailure } from "../graded-tool.ts";
import { findCutOffChange } from "./cut-off-change.ts";
import type { UndoIntent, UndoIntents } from "./undo-intents.ts";
import { idOf, type KeptThing, type UndoKind, type UndoKinds } from "./undo-kind.ts";
import {
  blockedLines,
  type KeptOrder,
  type KeptStep,
  linesOf,
  openCalls,
  toOrders,
  toStep,
  undoneAt,
} from "./undo-orders.ts";
import { type ChangedThing, changesInWords } from "./undo-words.ts";

/** Its name in the workspace. */
export const UNDO_FILE = "undo.jsonl";
export const MOST_STEPS = 500;
const DAY_MS = 24 * 3600 * 1000;

/** `nothing` there is nothing to undo · `changed` it was changed again since · `blocked` it cannot be undone. */
export class UndoError extends KindedError<"nothing" | "changed" | "blocked"> {}

type Item = KeptStep["items"][number];

interface Move {
  readonly what: Effect["what"];
  readonly from: KeptThing;
  readonly to: KeptThing;
}

interface PlannedCall {
  readonly call: KeptStep;
  readonly moves: readonly Move[];
}

/** What undoing a step would do. */
export interface UndoPlan {
  readonly step: UndoStep;
  readonly passed: readonly string[];
  readonly moves: readonly Move[];
  /** The same, call by call. */
  readonly calls: readonly PlannedCall[];
}

export interface UndoJournalOptions {
  readonly log: Pick<BoundedLog<KeptStep>, "entries" | "append" | "rewrite">;
  readonly intents: UndoIntents;
  readonly kinds: UndoKinds;
  readonly now: () => number;
  readonly ids: IdSource;
  /** Takes out what must never be written down. */
  readonly redact: <T>(value: T) => T;
  /** Told what went wrong without stopping anything. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** Every change of a day that can be undone. Survives restarts. */
export type UndoJournal = Pick<Journal, keyof Journal>;

export function createUndoJournal(options: UndoJournalOptions): UndoJournal {
  return new Journal(options);
}

type StepHead = Omit<UndoIntent, "found">;
type Snapshot = Readonly<Partial<Record<Effect["what"], ReadonlyMap<string, unknown>>>>;

class Journal {
  readonly #options: UndoJournalOptions;
  /** One undo at a time. */
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(options: UndoJournalOptions) {
    this.#options = options;
  }

  /**
   * Makes a change and keeps what it found; all with the same `order` are undone together. The change counts, also where
   * that cannot be kept: then it is told.
   */
  async during<T>(
    by: string,
    work: () => T | Promise<T>,
    effectsOf: (result: T) => readonly Effect[],
    order?: string,
  ): Promise<T> {
    const { ids, now, intents } = this.#options;
    const before = await this.#snapshot();
    const head = { id: ids.next("undo"), at: new Date(now()).toISOString(), by, ...(order !== undefined && { order }) };
    await this.#guarded(() => intents.begin({ ...head, found: this.#withoutSecrets(before) }));
    let isKept = false;
    try {
      const result = await work();
      isKept = await this.#keep(head, before, effectsOf(result));
      return result;
    } catch (thrown) {
      if (thrown instanceof PartialFailure) isKept = await this.#keep(head, before, thrown.effects);
      throw thrown;
    } finally {
      await this.#guarded(() => intents.end(head.id, isKept));
    }
  }

  /** Keeps the steps of changes that a crash cut off. Call it once everything that can be changed is loaded. */
  async recover(): Promise<void> {
    const { intents, log } = this.#options;
    for (const { found, ...head } of intents.left()) {
      await this.#guarded(async () => {
        const isKnown = log.entries().some(({ id }) => id === head.id);
        const items = isKnown ? [] : findCutOffChange(found, this.#withoutSecrets(await this.#snapshot()));
        if (items.length > 0) await this.#append(head, items.map(toJson));
        await intents.end(head.id, false);
      });
    }
  }

  /** The last order that this begins with, such as that of a conversation before a restart. */
  lastOrder(start: string): string | undefined {
    return this.#options.log.entries().findLast(({ order }) => order?.startsWith(start))?.order;
  }

  /** Of the last day, newest first. */
  list(): readonly UndoStep[] {
    return toOrders(this.#fresh()).map(toStep).toReversed();
  }

  /** What `undo` would do now. Throws `UndoError`. */
  plan(wish: UndoRequest): UndoPlan {
    const { redo = false } = wish;
    const orders = toOrders(this.#fresh());
    const order = this.#choose(wish, orders);
    const later = orders.slice(orders.indexOf(order) + 1);
    const told = later.findIndex((one) => undoneAt(one) !== undefined);
    const passed = [order, ...(wish.step === undefined ? later.slice(0, told < 0 ? undefined : told) : [])];
    const open = openCalls(order, redo);
    const calls = (redo ? open : open.toReversed()).map((call) => ({ call, moves: movesOf(call, redo) }));
    const moves = calls.flatMap((one) => one.moves);
    return { step: toStep(order), passed: redo ? [] : blockedLines(passed.flat()), calls, moves };
  }

  /**
   * Each call wholly or not at all, and all calls of the order that can be. Rejects with `UndoError`, or with the reason
   * why something cannot be put back, where nothing could be.
   */
  undo(wish: UndoRequest): Promise<Undone> {
    return this.#queue.add(async () => {
      const { redo = false } = wish;
      const { step: planned, passed, calls } = this.plan(wish);
      const stamp = redo ? undefined : this.#stampFor(calls);
      const done: ChangedThing[] = [];
      const failed: { readonly call: KeptStep; readonly error: unknown }[] = [];
      for (const { call, moves } of calls) {
        try {
          done.push(...(await this.#putCall(call, moves)));
          await this.#mark(call, { undone_at: stamp });
        } catch (error) {
          failed.push({ call, error });
        }
      }
      if (failed.length === calls.length && failed[0]) throw failed[0].error;
      for (const { call, error } of failed) {
        // It would stand in the way of everything before it.
        if (error instanceof UndoError) await this.#mark(call, { blocked: "That was changed again since." });
      }
      const reasons = failed.map(({ call, error }) =>
        error instanceof UndoError ? error.message : `${linesOf([call]).join(" ")} ${reasonOf(error)}`,
      );
      const { undone_at: _, ...step } = planned;
      return {
        step: stamp === undefined ? step : { ...step, undone_at: stamp },
        passed: [...passed, ...reasons],
        effects: done.map(({ effect }) => effect),
        lines: [...changesInWords(done)],
      };
    });
  }

  /** Notes and alerts about the camera in that time go, with the steps that they belong to. */
  readonly forget: ForgetfulStore["forget"] = async (target, { preview }) => {
    const goes = ({ at, items }: KeptStep): boolean =>
      items.some(
        ({ effect: { what, camera } }) =>
          (what === "note" || what === "alert") && isCovered(target, camera, Date.parse(at)),
      );
    const { log } = this.#options;
    const found = log.entries().filter(goes);
    if (!preview && found.length > 0) await log.rewrite((step) => (goes(step) ? undefined : step));
    return toForgotten(found.flatMap(({ at, items }) => items.map(({ effect }) => `${at} ${effect.text}`)));
  };

  #fresh(): readonly KeptStep[] {
    const since = new Date(this.#options.now() - DAY_MS).toISOString();
    return this.#options.log.entries().filter(({ at }) => at >= since);
  }

  #choose({ step: id, redo = false }: UndoRequest, orders: readonly KeptOrder[]): KeptOrder {
    const fitting = orders.filter((order) => openCalls(order, redo).length > 0);
    if (redo) fitting.sort((one, other) => (undoneAt(one) ?? "").localeCompare(undoneAt(other) ?? ""));
    const order = id === undefined ? fitting.at(-1) : orders.find((calls) => calls.some((call) => call.id === id));
    if (order === undefined) throw new UndoError("nothing", whyNothing(id, redo, orders));
    if (fitting.includes(order)) return order;
    const isBlocked = order.every(({ blocked }) => blocked !== undefined);
    if (isBlocked) throw new UndoError("blocked", blockedLines(order).join(" "));
    throw new UndoError("blocked", redo ? "It was not undone." : "It was undone already; redo brings it back.");
  }

  /** An undo that a crash cut off goes on as the same one. */
  #stampFor(calls: readonly PlannedCall[]): string {
    const ids = new Set(calls.map(({ call }) => call.order ?? call.id));
    const order = this.#fresh().filter((call) => ids.has(call.order ?? call.id));
    const begun = undoneAt(order);
    const isSame = begun !== undefined && order.every(({ at }) => at <= begun);
    return isSame ? begun : new Date(this.#options.now()).toISOString();
  }

  #mark({ id }: KeptStep, change: Partial<Pick<KeptStep, "undone_at" | "blocked">>): Promise<void> {
    return this.#options.log.rewrite((one) => (one.id === id ? toJson({ ...one, ...change }) : one));
  }

  async #snapshot(): Promise<Snapshot> {
    try {
      const kinds = Object.entries(this.#options.kinds) as [Effect["what"], UndoKind][];
      const found = await Promise.all(kinds.map(async ([what, kind]) => [what, await kind.all()] as const));
      return Object.fromEntries(found);
    } catch (error) {
      this.#options.onProblem(`A change cannot be undone later: ${reasonOf(error)}`);
      return {};
    }
  }

  /** Whether there is a step now. */
  async #keep(head: StepHead, before: Snapshot, effects: readonly Effect[]): Promise<boolean> {
    if (effects.length === 0) return false;
    const { kinds } = this.#options;
    return this.#guarded(async () => {
      const after = await this.#snapshot();
      const items = await Promise.all(
        effects.map(async (effect): Promise<Item> => {
          const id = idOf(effect);
          const kind = kinds[effect.what];
          // What stands in the place of something that is gone is something else.
          const isLooked = kind?.find !== undefined && effect.kind !== "removed";
          const left = isLooked ? await kind.find?.({ id, state: undefined }) : after[effect.what]?.get(id);
          return toJson({ effect, before: before[effect.what]?.get(effect.was ?? id), after: left });
        }),
      );
      // A call that was made again after a crash changed nothing the second time.
      const changed = items.filter(
        ({ before: one, after: other }) => one === undefined || !isDeepStrictEqual(one, other),
      );
      if (changed.length > 0) await this.#append(head, changed);
    });
  }

  async #append(head: StepHead, items: readonly Item[]): Promise<void> {
    const clean = this.#options.redact(items);
    const blocked = this.#blockOf(items, clean);
    const kept = blocked === undefined ? [...clean] : clean.map(({ effect }) => ({ effect }));
    await this.#options.log.append({ ...head, items: kept, ...(blocked !== undefined && { blocked }) });
  }

  /** False when it failed, which is told. */
  async #guarded(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#options.onProblem(`A change cannot be undone after a restart: ${reasonOf(error)}`);
      return false;
    }
  }

  #withoutSecrets(snapshot: Snapshot): UndoIntent["found"] {
    const { redact } = this.#options;
    const kinds = Object.entries(snapshot).map(([what, states]) => {
      const plain = [...states].map(([id, state]) => [id, toJson(state)] as const).filter(([id]) => id === redact(id));
      const kept = plain.map(([id, state]) => [id, isDeepStrictEqual(state, redact(state)) ? state : null] as const);
      return [what, Object.fromEntries(kept)] as const;
    });
    return Object.fromEntries(kinds);
  }

  #blockOf(items: readonly Item[], clean: readonly Item[]): string | undefined {
    if (
      items.some(
        ({ effect, before, after }) =>
          this.#options.kinds[effect.what] === undefined || (before ?? after) === undefined,
      )
    ) {
      return "That cannot be undone.";
    }
    const states = (all: readonly Item[]) => all.map(({ before, after }) => [before, after]);
    return isDeepStrictEqual(states(items), states(clean))
      ? undefined
      : "That cannot be undone: it holds a secret, which is not kept.";
  }

  async #putCall(call: KeptStep, moves: readonly Move[]): Promise<readonly ChangedThing[]> {
    const open: Move[] = [];
    for (const move of moves) if (await this.#isOpen(move, call)) open.push(move);
    const done: { readonly move: Move; readonly effect: Effect }[] = [];
    try {
      for (const move of open) done.push({ move, effect: await this.#kindOf(move.what).put(move.from, move.to) });
      return done.map(({ move: { from, to }, effect }) => ({ effect, before: from.state, after: to.state }));
    } catch (thrown) {
      for (const { move } of done.toReversed()) {
        await this.#kindOf(move.what)
          .put(move.to, move.from)
          .catch((error: unknown) => this.#options.onProblem(`Undone only in part: ${reasonOf(error)}`));
      }
      throw thrown;
    }
  }

  /** False when it is done already, as after a crash. Throws when it is neither as it became nor as it is to be. */
  async #isOpen({ what, from, to }: Move, call: KeptStep): Promise<boolean> {
    const isNow = async (wanted: KeptThing, other: KeptThing): Promise<boolean> => {
      const found = await this.#now(what, { id: wanted.id, state: wanted.state ?? other.state });
      const elsewhere = other.id === wanted.id ? undefined : await this.#now(what, other);
      return isDeepStrictEqual(found, toJson(wanted.state)) && elsewhere === undefined;
    };
    if (await isNow(from, to)) return true;
    if (await isNow(to, from)) return false;
    const lines = linesOf([call]).join(" ");
    throw new UndoError("changed", `${lines} That was changed again since (${what} ${from.id}), so it stays as it is.`);
  }

  async #now(what: Effect["what"], kept: KeptThing): Promise<unknown> {
    const kind = this.#kindOf(what);
    return toJson(kind.find ? await kind.find(kept) : (await kind.all()).get(kept.id));
  }

  #kindOf(what: Effect["what"]): UndoKind {
    const kind = this.#options.kinds[what];
    if (kind === undefined) throw new UndoError("blocked", "That cannot be undone.");
    return kind;
  }
}

function movesOf({ items }: KeptStep, redo: boolean): readonly Move[] {
  return (redo ? items : items.toReversed()).map(({ effect, before: was, after: is }) => {
    const { what } = effect;
    const after = { id: idOf(effect), state: is };
    const before = { id: effect.was ?? after.id, state: was };
    return redo ? { what, from: before, to: after } : { what, from: after, to: before };
  });
}

function whyNothing(id: string | undefined, redo: boolean, orders: readonly KeptOrder[]): string {
  if (id !== undefined)
    return "There is no such change in the last 24 hours; the list of changes to undo has their ids.";
  if (redo) return "Nothing was undone in the last 24 hours.";
  const last = orders.findLast((order) => order.every(({ blocked }) => blocked !== undefined));
  const why = last ? ` ${blockedLines(last).join(" ")}` : "";
  return `There is nothing to undo from the last 24 hours.${why}`;
}

/** As it reads back from the disk: without undefined. */
function toJson<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}
