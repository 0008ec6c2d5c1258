// one clause → its plan
import { noChannel, talk, unknownText } from "../answers/talk.ts";
import type { Act } from "../intent.ts";
import { planControl } from "./control.ts";
import { planBlock, planBlocks, planCamera, planRecall, planRemember, planSchedule, planTold } from "./notes.ts";
import { planCount, planDetect, planRun } from "./pipelines.ts";
import { type App, type Made, type Plan, say, type Wish } from "./plan.ts";
import {
  costInWords,
  deliveryInWords,
  planHealth,
  planImage,
  planList,
  planLook,
  planPast,
  planSummary,
  planTotals,
  planWhy,
} from "./questions.ts";
import { planWatch } from "./watch.ts";

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

function* planAct(wish: Wish, made: readonly Made[], app: App): Plan {
  const { clause } = wish;
  if (clause.act.kind === "beyond" && clause.act.query !== undefined) return yield* planTold(clause.act, app);
  const words = talk(clause.act, app.known);
  if (words !== undefined) return say(words);
  switch (clause.act.kind) {
    case "watch":
      return yield* planWatch(wish, app);
    case "count":
      return yield* planCount(wish, app);
    case "detect":
      return yield* planDetect(wish, app);
    case "run":
      return yield* planRun(wish, app);
    case "look":
      return yield* planLook(clause, app);
    case "image":
      return yield* planImage(clause, app);
    case "totals":
      return yield* planTotals(clause, app);
    case "past":
      return yield* planPast(clause, app);
    case "summary":
      return yield* planSummary(clause, app);
    case "why":
      return yield* planWhy(clause, app);
    case "list":
      return yield* planList(clause, app);
    case "stop":
    case "pause":
    case "resume":
      return yield* planControl(clause, made, app);
    case "remember":
      return yield* planRemember(clause.act, clause);
    case "camera":
      return yield* planCamera(clause.act);
    case "recall":
      return yield* planRecall(clause.act);
    case "blocks":
      return yield* planBlocks(clause.act);
    case "block":
      return yield* planBlock(clause.act);
    case "schedule":
      return yield* planSchedule(clause.act, clause, app);
    case "health":
      return yield* planHealth(clause, app);
    case "cost":
      return say(costInWords(clause, app));
    case "delivery":
      return say(deliveryInWords(clause, app));
    case "aside":
      return say(`I took nothing from "${clause.words}".`);
    default:
      return say(unknownText(app.known));
  }
}
