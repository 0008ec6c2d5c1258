// what a change found and left, by tool, page, API or command line → steps of undo.jsonl → put back
import { isDeepStrictEqual } from "node:util";
import type { IdSource } from "@vision-agent/agent-core";
import { type Effect, effectSchema, type Undone, type UndoRequest, type UndoStep } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { z } from "zod";
import type { BoundedLog } from "../../store/bounded-log.ts";
import { type ForgetfulStore, isCovered, toForgotten } from "../../store/forget-target.ts";
import { KindedError, reasonOf } from "../../workspace/kinded-error.ts";
import { PartialFailure } from "../graded-tool.ts";
import { idOf, type KeptThing, type UndoKind, type UndoKinds } from "./undo-kind.ts";

/** Its name in the workspace. */
export const UNDO_FILE = "undo.jsonl";
export const MOST_STEPS = 500;
const DAY_MS = 24 * 3600 * 1000;

/** `nothing` there is nothing to undo · `changed` it was changed again since · `blocked` it cannot be undone. */
export class UndoError extends KindedError<"nothing" | "changed" | "blocked"> {}

const itemSchema = z.object({
  effect: effectSchema,
  /** As it was and as it became; absent where it was not there. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export const keptStepSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  by: z.string(),
  items: z.array(itemSchema).min(1),
  blocked: z.string().optional(),
  undone_at: z.iso.datetime().optional(),
});
type KeptStep = z.infer<typeof keptStepSchema>;
type Item = KeptStep["items"][number];

/** What undoing a step would do. */
export interface UndoPlan {
  readonly step: UndoStep;
  readonly passed: readonly string[];
  readonly moves: readonly { readonly what: Effect["what"]; readonly from: KeptThing; readonly to: KeptThing }[];
}

export interface UndoJournalOptions {
  readonly log: Pick<BoundedLog<KeptStep>, "entries" | "append" | "rewrite">;
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

type Snapshot = Readonly<Partial<Record<Effect["what"], ReadonlyMap<string, unknown>>>>;

class Journal {
  readonly #options: UndoJournalOptions;
  /** One undo at a time. */
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(options: UndoJournalOptions) {
    this.#options = options;
  }

  /** Makes a change and keeps what it found. The change counts, also where that cannot be kept: then it is told. */
  async during<T>(by: string, work: () => T | Promise<T>, effectsOf: (result: T) => readonly Effect[]): Promise<T> {
    const before = await this.#snapshot();
    try {
      const result = await work();
      await this.#keep(by, before, effectsOf(result));
      return result;
    } catch (thrown) {
      if (thrown instanceof PartialFailure) await this.#keep(by, before, thrown.effects);
      throw thrown;
    }
  }

  /** Of the last day, newest first. */
  list(): readonly UndoStep[] {
    return this.#fresh().map(toStep).toReversed();
  }

  /** What `undo` would do now. Throws `UndoError`. */
  plan(wish: UndoRequest): UndoPlan {
    const step = this.#choose(wish);
    const passed = this.#fresh()
      .filter((other) => other.at > step.at && other.blocked !== undefined && wish.step === undefined)
      .flatMap(({ items, blocked }) => items.map(({ effect }) => `${effect.text} ${blocked}`));
    const items = wish.redo ? step.items : step.items.toReversed();
    const moves = items.map((item) => {
      const { was, what } = item.effect;
      const after = { id: idOf(item.effect), state: item.after };
      const before = { id: was ?? after.id, state: item.before };
      return wish.redo ? { what, from: before, to: after } : { what, from: after, to: before };
    });
    return { step: toStep(step), passed: wish.redo ? [] : passed, moves };
  }

  /** All of it or nothing. Rejects with `UndoError`, or with the reason why something cannot be put back. */
  undo(wish: UndoRequest): Promise<Undone> {
    return this.#queue.add(async () => {
      const { step, passed, moves } = this.plan(wish);
      const open: (typeof moves)[number][] = [];
      for (const move of moves) if (await this.#isOpen(move, step)) open.push(move);
      const effects = await this.#putAll(open);
      const { undone_at: _, ...rest } = step;
      const undone_at = new Date(this.#options.now()).toISOString();
      await this.#options.log.rewrite((one) =>
        one.id === step.id ? withMark(one, wish.redo ? undefined : undone_at) : one,
      );
      return { step: wish.redo ? rest : { ...step, undone_at }, passed: [...passed], effects: [...effects] };
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

  #choose({ step: id, redo = false }: UndoRequest): KeptStep {
    const steps = this.#fresh();
    const fits = (step: KeptStep): boolean => step.blocked === undefined && (step.undone_at !== undefined) === redo;
    const undone = steps
      .filter(fits)
      .toSorted((one, other) => (one.undone_at ?? "").localeCompare(other.undone_at ?? ""));
    const step = id === undefined ? undone.at(-1) : steps.find((one) => one.id === id);
    if (step === undefined) throw new UndoError("nothing", this.#whyNothing(id, redo));
    const { blocked, items } = step;
    if (blocked !== undefined) throw new UndoError("blocked", `${linesOf(items)} ${blocked}`);
    if (!fits(step)) {
      throw new UndoError("blocked", redo ? "It was not undone." : "It was undone already; redo brings it back.");
    }
    return step;
  }

  #whyNothing(id: string | undefined, redo: boolean): string {
    if (id !== undefined) return `There is no change ${id} of the last 24 hours.`;
    if (redo) return "Nothing was undone in the last 24 hours.";
    const last = this.#fresh().findLast(({ blocked }) => blocked !== undefined);
    const why = last ? ` ${linesOf(last.items)} ${last.blocked}` : "";
    return `There is nothing to undo from the last 24 hours.${why}`;
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

  async #keep(by: string, before: Snapshot, effects: readonly Effect[]): Promise<void> {
    if (effects.length === 0) return;
    const { log, now, ids, redact, kinds, onProblem } = this.#options;
    try {
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
      if (changed.length === 0) return;
      const clean = redact(changed);
      const blocked = this.#blockOf(changed, clean);
      const step = { id: ids.next("undo"), at: new Date(now()).toISOString(), by, items: clean };
      await log.append(
        blocked === undefined ? step : { ...step, items: clean.map(({ effect }) => ({ effect })), blocked },
      );
    } catch (error) {
      onProblem(`A change cannot be undone after a restart: ${reasonOf(error)}`);
    }
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

  /** False when it is done already, as after a crash. Throws when it is neither as it became nor as it is to be. */
  async #isOpen({ what, from, to }: UndoPlan["moves"][number], step: UndoStep): Promise<boolean> {
    const isNow = async (wanted: KeptThing, other: KeptThing): Promise<boolean> => {
      const found = await this.#now(what, { id: wanted.id, state: wanted.state ?? other.state });
      const elsewhere = other.id === wanted.id ? undefined : await this.#now(what, other);
      return isDeepStrictEqual(found, toJson(wanted.state)) && elsewhere === undefined;
    };
    if (await isNow(from, to)) return true;
    if (await isNow(to, from)) return false;
    const message = `${step.lines.join(" ")} That was changed again since (${what} ${from.id}), so nothing was undone.`;
    throw new UndoError("changed", message);
  }

  async #now(what: Effect["what"], kept: KeptThing): Promise<unknown> {
    const kind = this.#kindOf(what);
    return toJson(kind.find ? await kind.find(kept) : (await kind.all()).get(kept.id));
  }

  async #putAll(moves: UndoPlan["moves"]): Promise<readonly Effect[]> {
    const done: { readonly move: UndoPlan["moves"][number]; readonly effect: Effect }[] = [];
    try {
      for (const move of moves) {
        done.push({ move, effect: await this.#kindOf(move.what).put(move.from, move.to) });
      }
      return done.map(({ effect }) => effect);
    } catch (thrown) {
      for (const { move } of done.toReversed()) {
        await this.#kindOf(move.what)
          .put(move.to, move.from)
          .catch((error: unknown) => this.#options.onProblem(`Undone only in part: ${reasonOf(error)}`));
      }
      throw thrown;
    }
  }

  #kindOf(what: Effect["what"]): UndoKind {
    const kind = this.#options.kinds[what];
    if (kind === undefined) throw new UndoError("blocked", "That cannot be undone.");
    return kind;
  }
}

function withMark({ undone_at: _, ...step }: KeptStep, undone_at: string | undefined): KeptStep {
  return undone_at === undefined ? step : { ...step, undone_at };
}

function toStep({ items, ...step }: KeptStep): UndoStep {
  return { ...step, lines: items.map(({ effect }) => effect.text) };
}

function linesOf(items: readonly Item[]): string {
  return items.map(({ effect }) => effect.text).join(" ");
}

/** As it reads back from the disk: without undefined. */
function toJson<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}
