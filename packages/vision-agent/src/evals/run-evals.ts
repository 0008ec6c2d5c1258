// a set of instructions → an app for each → turns → outcomes judged → results

import { join } from "node:path";
import type { Clock } from "@vision-agent/agent-core";
import PQueue from "p-queue";
import { crossingSeconds, type TrueFrame } from "../scene/simulated-truth.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { type Before, collectOutcome } from "./collect-outcome.ts";
import type { CountPattern, Expectation } from "./expectation.ts";
import type { Instruction } from "./instruction.ts";
import { effectsAmong } from "./judges/judge-ledger.ts";
import { hasWrongEffect, judgeOutcome } from "./judges/judge-outcome.ts";
import type { EvalApp, EvalOutcome, ToolUse } from "./outcome.ts";
import { type EvalConfig, prepareApp } from "./prepare-app.ts";

export interface RunEvalsOptions {
  readonly set: readonly Instruction[];
  /** Opens an app on a prepared workspace. */
  readonly openApp: (folder: string) => Promise<EvalApp>;
  /** `config.yaml` of each workspace: who answers. */
  readonly config: EvalConfig;
  readonly files: Pick<FilePort, "makeFolder" | "writeAtomic">;
  /** Absolute path of a folder for the workspaces; the caller removes it. */
  readonly scratch: string;
  readonly readPicture: (path: string) => Promise<Uint8Array>;
  /** Who is where in the first seconds of a simulated camera. */
  readonly readTruth: (address: string, seconds: number) => Promise<readonly TrueFrame[]>;
  readonly clock: Clock;
  readonly timeZone: string;
  /** How many apps at once. Default 1. */
  readonly atOnce?: number;
  /** Told each result as it comes. Must not throw. */
  readonly onResult?: (result: EvalResult) => void;
}

/** One turn as it went. */
export interface EvalTurn {
  readonly said: string;
  readonly answer: string;
  readonly calls: readonly ToolUse[];
}

export interface EvalResult {
  readonly name: string;
  readonly family: string;
  /** Right without a correction. */
  readonly first_try: boolean;
  /** Right in the end. */
  readonly after_correction: boolean;
  /** Before any correction something was changed that should not have been, or not so. */
  readonly wrong_effect: boolean;
  /** What was wrong at the first try, and after the correction; empty when nothing was. */
  readonly complaints: { readonly first: readonly string[]; readonly after: readonly string[] };
  readonly turns: readonly EvalTurn[];
  readonly cost_usd: number;
  /** From the first word to the last judgement, without opening and closing the app. */
  readonly duration_ms: number;
  /** Why the instruction could not be run: both tries count as wrong. Null when it could. */
  readonly failure: string | null;
}

const TURN_LIMIT_MS = 180_000;
const SETTLE_LIMIT_MS = 90_000;
/** Who went over a line so shortly before the question may not be counted yet. */
const COUNTED_AFTER_SECONDS = 1;
const LOOK_AGAIN_MS = 50;

/** Results in the order of the set. What cannot be run is a result with a `failure`. */
export async function runEvals(options: RunEvalsOptions): Promise<readonly EvalResult[]> {
  const queue = new PQueue({ concurrency: options.atOnce ?? 1 });
  const runs = options.set.map((instruction, index) => async () => {
    const result = await runInstruction(instruction, join(options.scratch, String(index)), options);
    options.onResult?.(result);
    return result;
  });
  return queue.addAll(runs);
}

async function runInstruction(instruction: Instruction, folder: string, options: RunEvalsOptions): Promise<EvalResult> {
  const { name, family } = instruction;
  let app: EvalApp | undefined;
  try {
    const { files, config, clock, timeZone } = options;
    const pictures = await Promise.all(instruction.images.map(options.readPicture));
    const prepared = await prepareApp(instruction.house, {
      files,
      folder,
      config,
      timeZone,
      nowMs: clock.now(),
    });
    app = await options.openApp(folder);
    const before = { ...prepared, app: instruction.house, notes: await app.notes() };
    await waitUntilPrepared(app, before, clock);
    const { runs_seconds } = instruction.house;
    if (runs_seconds > 0) await clock.sleep(runs_seconds * 1000);
    const trial = await new Conversation({ app, before, options, pictures }).try(instruction);
    return { name, family, ...trial };
  } catch (error) {
    const failure = reasonOf(error);
    const complaints = { first: [failure], after: [failure] };
    const nothing = { wrong_effect: false, complaints, turns: [], cost_usd: 0, duration_ms: 0 };
    return { name, family, first_try: false, after_correction: false, ...nothing, failure };
  } finally {
    await app?.stop();
  }
}

/** An app brings back what was running after it has opened. */
async function waitUntilPrepared(app: EvalApp, before: Before, clock: Clock): Promise<void> {
  const endMs = clock.monotonic() + SETTLE_LIMIT_MS;
  for (;;) {
    const pipelines = (await app.pipelines()).filter(({ status }) => status !== "starting");
    const watches = await app.watches();
    const there = new Set([...pipelines.map((each) => each.pipeline_id), ...watches.map(({ id }) => id)]);
    const missing = [...before.pipelineIds, ...before.watchIds].filter((id) => !there.has(id));
    if (missing.length === 0) return;
    if (clock.monotonic() > endMs) throw new Error(`The app did not bring back ${missing.join(", ")}.`);
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

interface ConversationParts {
  readonly app: EvalApp;
  readonly before: Before;
  readonly options: RunEvalsOptions;
  /** Go with the first turn. */
  readonly pictures: readonly Uint8Array[];
}

class Conversation {
  readonly #parts: ConversationParts;
  readonly #turns: EvalTurn[] = [];
  #costMicroUsd = 0;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  async try(instruction: Instruction): Promise<Omit<EvalResult, "name" | "family">> {
    const { turns, correction, agrees, expected, expectedEach } = instruction;
    const { clock } = this.#parts.options;
    const startMs = clock.monotonic();
    const earlier: Judgement[] = [];
    for (const [at, said] of turns.slice(0, -1).entries()) {
      const wanted = expectedEach[at] ?? {};
      earlier.push(judgeTurn(wanted, await this.#sayFor(wanted, said, agrees), at + 1));
    }
    const last = await this.#sayFor(expected, turns.at(-1) ?? "", agrees);
    const before = earlier.flatMap(({ complaints }) => complaints);
    const first = [...before, ...judgeOutcome(expected, last)];
    const isCorrected = first.length > 0 && correction !== undefined;
    const after = isCorrected
      ? judgeOutcome(expected, withoutLooking(await this.#sayFor(expected, correction, agrees), last.calls.length))
      : first;
    return {
      first_try: first.length === 0,
      after_correction: after.length === 0,
      wrong_effect: earlier.some(({ isWrongEffect }) => isWrongEffect) || hasWrongEffect(expected, last),
      complaints: { first, after },
      turns: this.#turns,
      cost_usd: this.#costMicroUsd / 1e6,
      duration_ms: Math.round(clock.monotonic() - startMs),
      failure: null,
    };
  }

  async #sayFor(expected: Expectation, said: string, agrees: boolean): Promise<EvalOutcome> {
    const { count } = expected;
    const seconds = count && (await this.#parts.app.footageSeconds(count.camera));
    const outcome = await this.#withAwaitedAlerts(await this.#say(said, agrees), expected);
    return count && seconds !== undefined ? this.#withCrossed(outcome, count, seconds) : outcome;
  }

  async #withCrossed(outcome: EvalOutcome, count: CountPattern, before: number): Promise<EvalOutcome> {
    const { app, before: prepared, options } = this.#parts;
    const camera = prepared.app.cameras[count.camera] ?? "";
    const after = (await app.footageSeconds(count.camera)) ?? before;
    const frames = await options.readTruth(typeof camera === "string" ? camera : camera.source, after);
    const crossings = crossingSeconds(frames, count);
    const from = crossings.filter((second) => second < before - COUNTED_AFTER_SECONDS).length;
    return { ...outcome, crossed: { from, to: crossings.length } };
  }

  async #say(said: string, agrees: boolean): Promise<EvalOutcome> {
    const { app, before, options } = this.#parts;
    const pictures = this.#turns.length === 0 ? this.#parts.pictures : [];
    const signal = AbortSignal.timeout(TURN_LIMIT_MS);
    const { status, text, reason } = await app.say(said, { pictures, agrees, signal });
    const answer = status === "finished" ? text : [text, reason].filter((part) => part !== "").join("\n");
    const outcome = await collectOutcome(app, before, { status, answer, nowMs: options.clock.now() });
    const known = this.#turns.reduce((sum, { calls }) => sum + calls.length, 0);
    this.#turns.push({ said, answer, calls: outcome.calls.slice(known) });
    this.#costMicroUsd = outcome.costMicroUsd;
    return outcome;
  }

  /** Alerts come when something happens, which may take a while. */
  async #withAwaitedAlerts(outcome: EvalOutcome, { alerts }: Expectation): Promise<EvalOutcome> {
    const { app, before, options } = this.#parts;
    if (alerts === undefined || alerts === "none") return outcome;
    const endMs = options.clock.monotonic() + alerts.wait_seconds * 1000;
    let latest = outcome;
    while (judgeOutcome({ alerts }, latest).length > 0 && options.clock.monotonic() < endMs) {
      await options.clock.sleep(LOOK_AGAIN_MS);
      latest = { ...outcome, alerts: (await app.alerts()).filter(({ id }) => !before.alertIds.has(id)) };
    }
    return latest;
  }
}

type Judgement = { readonly complaints: readonly string[]; readonly isWrongEffect: boolean };

function judgeTurn(expected: Expectation, outcome: EvalOutcome, turn: number): Judgement {
  const complaints = judgeOutcome(expected, outcome).map((complaint) => `turn ${turn}: ${complaint}`);
  return { complaints, isWrongEffect: hasWrongEffect(expected, outcome) };
}

/** A correction is judged by its own calls and by what was changed before it; what was only looked at before is over. */
function withoutLooking(outcome: EvalOutcome, before: number): EvalOutcome {
  const { calls } = outcome;
  return { ...outcome, calls: [...effectsAmong(calls.slice(0, before)), ...calls.slice(before)] };
}
