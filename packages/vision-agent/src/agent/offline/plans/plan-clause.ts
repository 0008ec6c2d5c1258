// one clause → its plan
import { noChannel, talk } from "../answers/talk.ts";
import type { Act } from "../intent.ts";
import { planControl } from "./control.ts";
import { planImage, planLook, planTotals } from "./look.ts";
import { planBlock, planBlocks, planCamera, planRecall, planRemember, planSchedule, planTold } from "./notes.ts";
import { planPast, planSummary } from "./past.ts";
import { planCount, planDetect, planRun } from "./pipelines.ts";
import { type App, type Made, type Outcome, type Plan, say, type Wish, type WishOf } from "./plan.ts";
import { planPreview } from "./preview.ts";
import { planMode, planQuiet } from "./quiet.ts";
import { planCurrentMode, planHealth, planList, tellCost, tellDelivery } from "./state.ts";
import { planPlace, planRename, planTrial, planUndo } from "./take-back.ts";
import { planWatch } from "./watch.ts";
import { planWhy } from "./why.ts";

/** `made`: what this conversation made last. A channel that is not there is said beside whatever was done. */
export function* planClause(wish: Wish, made: readonly Made[], app: App): Plan {
  const { act, slots } = wish.clause;
  const { channel } = slots;
  if (act.kind === "aside" && channel !== undefined) return say(noChannel(channel, act));
  const outcome = yield* planAct(wish, made, app);
  const isSaid = channel === undefined || outcome.open === true || !TELLS_BY_CHANNEL.has(act.kind);
  return isSaid ? outcome : { ...outcome, text: `${outcome.text} ${noChannel(channel, act)}` };
}

/** Acts of which somebody may want to hear by mail or phone. */
const TELLS_BY_CHANNEL: ReadonlySet<Act["kind"]> = new Set([
  ...(["watch", "count", "detect", "run", "look", "past", "totals", "summary", "schedule", "list"] as const),
]);

type Planner<K extends Act["kind"]> = (wish: WishOf<K>, app: App, made: readonly Made[]) => Plan | Outcome;

/** For every act that needs more than words. */
const PLANNERS: { readonly [K in Act["kind"]]?: Planner<K> } = {
  watch: planWatch,
  count: planCount,
  detect: planDetect,
  run: planRun,
  look: planLook,
  image: planImage,
  totals: planTotals,
  past: planPast,
  summary: planSummary,
  why: planWhy,
  list: planList,
  health: planHealth,
  quiet: planQuiet,
  mode: planMode,
  current_mode: planCurrentMode,
  undo: planUndo,
  trial: planTrial,
  preview: planPreview,
  rename: planRename,
  place: planPlace,
  cost: tellCost,
  delivery: tellDelivery,
  stop: planControl,
  pause: planControl,
  resume: planControl,
  remember: planRemember,
  camera: planCamera,
  recall: planRecall,
  blocks: planBlocks,
  block: planBlock,
  schedule: planSchedule,
  beyond: planTold,
};

function* planAct(wish: Wish, made: readonly Made[], app: App): Plan {
  const { act, words } = wish.clause;
  const planned = (PLANNERS[act.kind] as Planner<Act["kind"]> | undefined)?.(wish, app, made);
  if (planned !== undefined) return "text" in planned ? planned : yield* planned;
  return say(act.kind === "aside" ? `I could not use "${words}".` : talk(act, app.known));
}
