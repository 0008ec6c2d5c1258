// words about what is over → what is asked of it
import { isAboutWatch } from "../clauses/change-clause.ts";
import type { Act } from "../intent.ts";
import { toDirection } from "../slots/find-places.ts";
import { isQuestion, MOMENT, type Reading, type Rule, TELLS } from "./reading.ts";

const PAST =
  /\b(?:happened|how long (?:has|have|was|were|did)|happen (?:today|yesterday)|history|earlier|came|come (?:by|today|yesterday|last)|visited|went|was there|were there|has there been|have there been|did (?:you|any(?:thing|one|body)?|some(?:thing|one)?|the|a|an|it|he|she|they|somebody|nobody)|have you (?:seen|noticed)|have (?:we|you|i|they) had|has any\w*|did i miss|miss(?:ed)? (?:anything|something)|what's new|events?|been (?:there|here|any)|seen (?:today|yesterday|last|in)|arrived|left (?:today|yesterday|last)|when (?:was|did)|last time|most recent|passed by|who (?:was (?:here|there|on|at|in|around)|has been|left|took|brought|dropped|stole|put|moved|parked)|first (?:\w+ )?(?:today|yesterday)|stayed|longest|busiest|quietest|earliest|latest)\b/;
/** With a time named, these speak of the past too; without one, of what is counted now. */
const DONE = /\b(?:crossed|passed|drove|walked|rode|entered|exited|stayed|parked|waited|delivered|stopped|moved)\b/;
export const COUNTS = /\b(?:how many|number of|head ?-?count|how often|how much|count of|total of)\b/;

const EVENT_KINDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:cross\w*|pass(?:ed|es) (?:the|a) line)\b/, "line_crossed"],
  [/\b(?:camera|cam)\b.*\b(?:down|offline|lost|failed)\b/, "camera_down"],
  [/\b(?:left|leave|depart\w*|gone|went (?:away|out)|exit\w*)\b/, "left"],
  [
    /\b(?:came|come|arriv\w*|appear\w*|visit\w*|enter\w*|show(?:ed)? up|turned up|were there|was there|seen|see|saw)\b/,
    "appeared",
  ],
];

/** Undefined where no coming, going or crossing is spoken of. */
export function eventKindOf(bare: string): string | undefined {
  const said = bare.replace(
    /\b(?:on|from|to|turn\w*|go\w*|went) (?:the )?left\b|\bleft (?:half|side|third|to)\b/g,
    " ",
  );
  return EVENT_KINDS.find(([pattern]) => pattern.test(said))?.[1];
}

/** What is to be done from now on, whatever hours it names. */
const BEGINS =
  /^(?:please |also |and |then |could you |can you )*(?:watch|monitor|guard|observe|keep an eye|count|detect|track)\b/;

/** Times in which nothing can happen any more. */
const OVER = /\b(?:yesterday|last (?:night|week|hour|\d+)|ago|this morning|(?:the|in the) past)\b/;

/** Nobody is warned of what is over. */
const WARNS =
  /\b(?:alert|warn|notify|ping|buzz) (?:me|us)\b|\b(?:only|just) (?:tell|inform|message) (?:me|us)\b|\b(?:tell|inform|message) (?:me|us) (?:only|just)\b|\b(?:make sure|ensure|see to it|otherwise)\b/;

const SHOWS = /\b(?:show|tell|give|list|search|find|look up|events?|alerts?|anything|activity)\b/;

export const readPast: Rule = (reading) => {
  const { text, bare, slots } = reading;
  if (waits(reading) || BEGINS.test(text) || isAboutWatch(text)) return undefined;
  const hasPast = PAST.test(bare) || PAST.test(text) || (slots.period !== undefined && DONE.test(bare));
  if (slots.period === undefined) return hasPast && !isAboutNow(reading) ? toPast(reading) : undefined;
  const isAsked = isQuestion(text) || SHOWS.test(text);
  return hasPast || (isAsked && !WARNS.test(text)) ? toPast(reading) : undefined;
};

/** Something is to come: somebody wants to be told of it. */
function waits({ text, slots }: Reading): boolean {
  // "Tell me about the last hour" waits for nothing.
  const isOver = slots.period !== undefined && (slots.classes.length === 0 || OVER.test(text));
  const waited = isOver ? text.replace(/\babout(?: any| every)?\b/g, " ") : text;
  if (TELLS.test(text) && MOMENT.test(waited) && !isQuestion(text.replace(TELLS, "").trim())) return true;
  const wants =
    /\b(?:set up|create|make|add|start|want|need|like)\b.*\b(?:alerts?|watch|alarms?|notifications?)\b/.test(text);
  return wants && !isQuestion(text);
}

const NOW =
  /\b(?:right now|at the moment|currently|is there|are there|do you see|(?:did|have) you count(?:ed)?)\b|\bhow many\b.*\bcrossed\b(?!.*\b(?:today|yesterday)\b)/;
/** … where somebody counts them. */
const COUNTED = /\bhow many\b.*\b(?:gone|went|passed|crossed|(?:go|come|came|entered) (?:in|out|through))\b/;

function isAboutNow({ text, slots, known }: Reading): boolean {
  const isHere = (camera: string): boolean => slots.cameras.length === 0 || slots.cameras.includes(camera);
  const isCounted = known.pipelines.some(({ counts, camera }) => counts && isHere(camera));
  return NOW.test(text) || (isCounted && COUNTED.test(text));
}

function toPast({ text, bare, slots }: Reading): Act {
  const eventKind = eventKindOf(bare);
  const asked = askedOf(text);
  const kind = eventKind ?? (asked !== "list" && slots.classes.length > 0 ? "appeared" : undefined);
  const direction = toDirection(slots.way);
  if (direction !== "any") return { kind: "past", asked, eventKind: "line_crossed", direction };
  return { kind: "past", asked, eventKind: kind };
}

const ENDS: readonly (readonly [RegExp, "first" | "last" | "ranked"])[] = [
  [
    /\b(?:longest|shortest|busiest|quietest|peak|rush hour|how long (?:did|was|were|has|have))\b|\b(?:had|have|has|saw|with|got) the (?:most|fewest|least)\b|\bmost (?:time|often)\b/,
    "ranked",
  ],
  [/\b(?:first|earliest|when did .* (?:start|begin))\b(?! of all\b| floor\b)/, "first"],
  [
    /\bwhen (?:was|did|were|have|has)\b|\blast (?:time|seen)\b|\bmost recent\b|\blatest\b|\bwhat time\b|\b(?:the|was|is|very) last (?!\d|few|couple|minute|hour|night|day|week|month|year|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|half|quarter) )\w/,
    "last",
  ],
];

function askedOf(text: string): Extract<Act, { kind: "past" }>["asked"] {
  if (COUNTS.test(text)) return "count";
  return ENDS.find(([pattern]) => pattern.test(text))?.[1] ?? "list";
}
