// run a model or a saved workflow, and what blocks there are
import { isQuestion, type Rule, TELLS, tellsWhen } from "./reading.ts";

/** What people call a family → the category that the list of blocks knows. */
const CATEGORIES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:track\w*|follow\w*|re-?identif\w*|from (?:one )?frame to (?:the )?(?:next|frame|another))\b/, "tracking"],
  [/\b(?:visuali[sz]\w*|draw\w*|annotat\w*|overlay)\b/, "visualization"],
  [/\b(?:analytic\w*|count\w*|measur\w*|zone|line|dwell|statistic\w*)\b/, "analytics"],
  [/\b(?:sinks?|notif\w*|send\w*|webhook|export\w*|output\w*|e-?mail\w*|upload\w*|alert\w*)\b/, "sink"],
  [/\b(?:flow|control|condition\w*|logic|gate\w*|if|continue)\b/, "flow_control"],
  [/\b(?:classical|opencv|cv|contour\w*|blur\w*|threshold\w*|sift|image processing)\b/, "classical_cv"],
  [/\b(?:fus\w+|merg\w*|consensus|combin\w*)\b/, "fusion"],
  [/\b(?:transform\w*|crop\w*|filter\w*|slic\w*|resiz\w*)\b/, "transformation"],
  [/\b(?:models?|detect\w*|classif\w*|segment\w*|ocr|vlm|inference|recogni\w*)\b/, "model"],
];
const BLOCK_TYPE = /\b([a-z_]+\/[a-z0-9_]+@v\d+)\b/i;

export const readBlocks: Rule = ({ words, text }) => {
  const type = BLOCK_TYPE.exec(words)?.[1];
  const mentions = /\b(?:blocks?|building blocks|workflow steps)\b/.test(text);
  if (type !== undefined && !/\b(?:run|start)\b/.test(text)) return { kind: "block", type };
  if (!mentions || tellsWhen(text)) return undefined;
  const named =
    /\b(?:details?|parameters|properties|schema|inputs|how (?:do|does|to) (?:i )?(?:use|work)|explain|describe|about|does)\b.*?\b(?:the |of )*([a-z]+(?:[_ ][a-z]+)*?)(?: v?\d+)? blocks?\b/.exec(
      text,
    )?.[1];
  if (named !== undefined && !/\b(?:what|which|all|available|any|list)$/.test(named)) {
    const name = named
      .split(" ")
      .slice(-3)
      .join(" ")
      .replace(/^.*\b(?:the|of|about|for) /, "");
    return { kind: "block", type: name.replaceAll(" ", "_") };
  }
  // "Before I draw anything, which blocks track?": what follows says more than what leads up.
  const category = categoryOf(/\bblocks?\b(.*)$/.exec(text)?.[1] ?? "") ?? categoryOf(text);
  return { kind: "blocks", category };
};

/** The family that the words speak of; undefined when they speak of none. */
function categoryOf(text: string): string | undefined {
  const words = text.replace(/\b(?:workflow|building) blocks?\b|\bblocks?\b/g, " ");
  return CATEGORIES.find(([pattern]) => pattern.test(words))?.[1];
}

export const RUNS =
  /\b(?:run|use|apply|start|execute|try|deploy|launch|(?:get|keep|set|have|put|let|bring|turn|switch|fire) (?:it|that|this|them|the (?:model|workflow))(?: \w+)? (?:going|running|run|started|up|on|live|to work|at work))\b/;

/** … what was named before. */
const RUNS_IT =
  /\b(?:run|use|apply|start|execute|try|deploy|launch|get|keep|set|have|put|let|bring|turn|switch|fire) (?:it|that|this|them|(?:my|the|a|this|that) (?:[\w-]+ )?(?:model|workflow))\b/;

/** "My son set it all up": somebody did it, and nobody is to do it. */
const DONE_BY_OTHERS =
  /^(?:and |but |because |since |as |well )*(?:he|she|they|(?:my|our|the|his|her|some) (?:[\w-]+ ){1,2}?)\s?(?:set|put|got|had|let|brought|turned|switched|started|ran|installed|fitted)\b/;

/** A model or workflow is named, or one that was named before: "run it on this image". */
export const readRun: Rule = ({ text, slots }) => {
  if (TELLS.test(text)) return undefined;
  // "Check it before you start it" is no wish to start something else.
  const runs = RUNS.test(text.replace(/\bbefore (?:you |we |it )?\w+(?: it| that| them)?\b/g, " "));
  if (slots.workflow !== undefined) return isQuestion(text) ? undefined : { kind: "run" };
  if (slots.model !== undefined)
    return runs || /\bi have\b|\bthere(?:'s| is)\b|\bwith\b|\busing\b/.test(text) ? { kind: "run" } : undefined;
  return runs && RUNS_IT.test(text) && !/\brunning\b/.test(text) && !DONE_BY_OTHERS.test(text)
    ? { kind: "run" }
    : undefined;
};
