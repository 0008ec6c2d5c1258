// a firing and its pictures → a yes/no question to a vision model → whether the alert goes out
import { type Clock, type LLMClient, raceAbort, sleepUnless } from "@vision-agent/agent-core";
import type { SceneEvent, Watch, WatchCheck } from "@vision-agent/protocol";
import { z } from "zod";
import type { CheckOutcome } from "../alerts/route-alert.ts";
import type { StateSection } from "../pipelines/active-state.ts";
import { localDay } from "../watches/watch-times.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { isAlike, type PictureHash } from "./picture-hash.ts";
import type { VisionModel } from "./vision-model.ts";

export const storedCheckCostSchema = z.object({
  watch_id: z.string(),
  day: z.string(),
  micro_usd: z.number().nonnegative(),
});
type CheckCost = z.infer<typeof storedCheckCostSchema>;

export interface WatchCheckOptions {
  /** Absent when no model is configured. */
  readonly visionModel: VisionModel | undefined;
  /** Why pictures of a camera may not go to that model; undefined when they may. */
  readonly refusal: (camera: string) => string | undefined;
  /** Calls of a client are paid, and their cost in millionths of a dollar is told. */
  readonly payingFor: (client: LLMClient, onCost: (microUsd: number) => void) => LLMClient;
  /** Bytes of a picture by its artifact id. */
  readonly pictureOf: (id: string) => Promise<Uint8Array | undefined>;
  readonly hash: (jpeg: Uint8Array, box: SceneEvent["box_xyxy"]) => Promise<PictureHash>;
  /** Newest first. */
  readonly events: { list(filter: { readonly camera: string; readonly limit: number }): readonly SceneEvent[] };
  readonly store: StateSection<CheckCost>;
  readonly timeZone: string;
  readonly clock: Pick<Clock, "now" | "sleep">;
}

const TIMEOUT_MS = 30_000;
/** Pictures of the same camera within so long belong to the firing. */
const SAME_FIRING_MS = 10_000;
/** Answers that are kept of each watch. */
const MOST_ANSWERS = 16;

type Answer = "yes" | "no";
type CheckedWatch = Watch & { readonly check: WatchCheck };

/** Never rejects: what cannot be asked goes out unchecked, with the reason. */
export type CheckWatch = (watch: Watch, event: SceneEvent) => Promise<CheckOutcome>;

export async function createWatchCheck(options: WatchCheckOptions): Promise<CheckWatch> {
  const { visionModel, store, timeZone, clock } = options;
  const costs = new Map((await store.load()).map((cost) => [cost.watch_id, cost]));
  const answered = new Map<string, { readonly hash: PictureHash; readonly answer: Answer }[]>();
  const today = (): string => localDay(clock.now(), timeZone);
  const spentToday = (id: string): number => {
    const cost = costs.get(id);
    return cost?.day === today() ? cost.micro_usd : 0;
  };
  const addCost = async (id: string, microUsd: number): Promise<void> => {
    costs.set(id, { watch_id: id, day: today(), micro_usd: spentToday(id) + microUsd });
    await store.save([...costs.values()].filter(({ day }) => day === today()));
  };
  const ask = async (
    model: VisionModel,
    { id, check }: CheckedWatch,
    { pictures, signal }: { readonly pictures: readonly string[]; readonly signal: AbortSignal },
  ) => {
    let microUsd = 0;
    const pay = (client: LLMClient): LLMClient =>
      options.payingFor(client, (cost) => {
        microUsd += cost;
      });
    const prompt = `${check.question}\nAnswer with yes or no, as the first word.`;
    const image = pictures.map((artifactId) => ({ type: "image" as const, artifactId, mimeType: "image/jpeg" }));
    try {
      const words = await model.ask({ prompt, image }, { signal, runId: id, pay });
      return /^\W*(yes|no)\b/i.exec(words)?.[1]?.toLowerCase() as Answer | undefined;
    } finally {
      if (microUsd > 0) await addCost(id, microUsd);
    }
  };
  const judge = async (watch: CheckedWatch, event: SceneEvent, signal: AbortSignal): Promise<CheckOutcome> => {
    const { check } = watch;
    const bytes = event.picture && (await options.pictureOf(event.picture));
    if (!event.picture || !bytes) return unchecked("there is no picture of it.");
    if (visionModel === undefined || !(await visionModel.canSee()))
      return unchecked("no model that sees is configured.");
    const refused = options.refusal(event.camera);
    if (refused !== undefined) return unchecked(refused);
    const hash = await options.hash(bytes, event.box_xyxy);
    const key = `${watch.id} ${event.camera} ${check.question}`;
    const known = answered.get(key) ?? [];
    const before = known.find((one) => isAlike(one.hash, hash))?.answer;
    if (before !== undefined) return outcomeOf(before, check, "as for a picture like it");
    if (spentToday(watch.id) >= check.daily_usd * 1e6)
      return unchecked(`its ${check.daily_usd} USD for today are spent.`);
    const answer = await ask(visionModel, watch, {
      pictures: picturesOf(event, check.frames, options),
      signal,
    });
    if (answer === undefined) return unchecked(`${visionModel.name} gave no clear answer.`);
    answered.set(key, [...known, { hash, answer }].slice(-MOST_ANSWERS));
    return outcomeOf(answer, check, `by ${visionModel.name}`);
  };
  return async (watch, event) => {
    const { check } = watch;
    if (check === undefined) return { kind: "confirmed", reason: "" };
    const [late, done] = [new AbortController(), new AbortController()];
    const tooLate = new Error(`no answer came within ${TIMEOUT_MS / 1000} s.`);
    void sleepUnless(clock, TIMEOUT_MS, done.signal).then(() => late.abort(tooLate));
    try {
      return await raceAbort(judge({ ...watch, check }, event, late.signal), late.signal);
    } catch (error) {
      return unchecked(reasonOf(error));
    } finally {
      done.abort();
    }
  };
}

function unchecked(reason: string): CheckOutcome {
  return { kind: "unchecked", reason };
}

function outcomeOf(answer: Answer, { question, expect }: WatchCheck, by: string): CheckOutcome {
  return {
    kind: answer === expect ? "confirmed" : "denied",
    reason: `"${question}" was answered with ${answer}, ${by}.`,
  };
}

/** Its own first, then what the same camera showed just before. */
function picturesOf(event: SceneEvent, frames: number, { events }: WatchCheckOptions): readonly string[] {
  const around = events
    .list({ camera: event.camera, limit: 50 })
    .filter(({ timestamp }) => Math.abs(Date.parse(event.timestamp) - Date.parse(timestamp)) <= SAME_FIRING_MS)
    .flatMap(({ picture }) => picture ?? []);
  return [...new Set([event.picture ?? "", ...around])].slice(0, frames);
}
