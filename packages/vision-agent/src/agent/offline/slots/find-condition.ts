// words → what a watch waits for

import type { When } from "../intent.ts";
import { findClasses } from "../words/class-words.ts";
import { DURATION, NUMBER, toNumber, toSeconds } from "./amounts.ts";

export interface ConditionWords {
  readonly when?: When;
  readonly seconds?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const NOT_A_TIME =
  "(?! ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|fps|frames?|times?|percent|degrees?|decibels?|db|kg|kilos?|met(?:er|re)s?|km|kmh|mph|kph|litres?|liters?|euros?|dollars?|%)\\b)";
const MORE_THAN = new RegExp(
  `\\b(?:more than|over|above|exceed(?:s|ing)?|greater than|bigger than|longer than|larger than) (${NUMBER})\\b${NOT_A_TIME}`,
);
const AT_LEAST = [
  new RegExp(`\\b(?:at least|minimum(?: of)?|no (?:less|fewer) than|as many as) (${NUMBER})\\b${NOT_A_TIME}`),
  new RegExp(`\\b(${NUMBER})\\b${NOT_A_TIME}(?: [\\p{L}-]+){0,2}? (?:or|and) (?:more|above|over)\\b`, "u"),
  /\b(\d+)\+/,
  new RegExp(
    `\\b(${NUMBER})\\b${NOT_A_TIME}(?: [\\p{L}-]+){1,3} (?:at once|at the same time|at a time|together|simultaneously|in (?:view|sight))\\b`,
    "u",
  ),
  new RegExp(`\\b(?:reach(?:es)?|there are|hits?) (${NUMBER})\\b${NOT_A_TIME}`),
];
/** "when two people are there", with a word between for what they are like. */
const SOME_OF_THEM = new RegExp(
  `\\b(?:when(?:ever)?|if|once|as soon as|see|spot|exactly|are|of) (?:there are |you see |exactly |just )*(${NUMBER})\\b${NOT_A_TIME} ([a-z-]+(?: [a-z-]+)?)`,
);
/** A crowd, when nobody says how many that is. */
const CROWD = 5;

const ABSENT =
  /\b(?:nobody|no one|no-one|noone|not (?:a |any )?(?:single )?(?:soul|one|anyone|anybody)|empty|(?:is|are|gets?|becomes?|be) (?:free|clear|vacant|unoccupied)|unattended|unmanned|deserted|abandoned by everyone)\b/;
const LONGER = new RegExp(
  `\\b(?:(?:for )?(?:longer|more) than|for (?:at least|over|more than)|(?:for )?over|at least|for|since|exceeding) (${DURATION})\\b`,
);
const LEAVES =
  /\b(?:leav(?:es|ing)|leave|depart(?:s|ed)?|exit(?:s|ed|ing)?|disappear(?:s|ed)?|vanish(?:es|ed)?|(?:has|have|is|are|was|were) (?:gone|left)|(?:goes|drives|walks|runs) (?:away|off)|(?:goes|moves) out of (?:view|sight|the (?:picture|frame))|no longer (?:there|visible|in view))\b/;

/** The first that is said counts. */
const WHENS: readonly (readonly [When, RegExp])[] = [
  [
    "stays",
    /\b(?:stay(?:s|ed|ing)?|stand(?:s|ing)?|stood|wait(?:s|ed|ing)?|loiter(?:s|ed|ing)?|linger(?:s|ed|ing)?|remain(?:s|ed|ing)?|hang(?:s|ing)? (?:around|about|out)|park(?:s|ed|ing)?(?! (?:lot|space|area|garage|place|bay))|dwell(?:s|ing)?|sit(?:s|ting)?|stop(?:s|ped)?(?= (?:for|there|longer|more|on|in|at|@c))|idl(?:es|ing)|spends?|lies|lying|blocks|blocking|(?:is|are|was|been|gets|be) (?:left|abandoned)(?= (?:behind|lying|standing|alone|unattended|on|at|in|by|for|there|outside|near|@c)\b)|(?:left|stands?|lies) (?:behind|unattended|alone))\b/,
  ],
  // Longer than was said, or than is right.
  [
    "stays",
    /\b(?:(?<!\b(?:any|no) )longer|overstay\w*|too long|that long|(?:over|more than|beyond) (?:that|the limit))\b|\bexceed(?:s|ed|ing)? (?:that|this|it|the)\b/,
  ],
  [
    "crosses",
    /\bcross(?:es|ed|ing)?\b|\b(?:pass(?:es|ed|ing)?|steps?|goes|walks?|drives?|runs?) (?:over |through |across |by )?(?:the |a |an |my )?(?:[\p{L}]+ )?line\b|\b(?:walk|go|goe|drive|driv|run|runn|step|stepp|ride|rid|mov|move)(?:s|ing)? (?:across|over)\b|\b(?:pass|go|goe|drive|driv|walk|come|com|run|move|mov)(?:s|es|ed|ing)? (?:through |past |by |over |across )?(?:the )?(?:middle|cent(?:er|re)|halfway)\b/u,
  ],
  ["leaves", LEAVES],
  ["stays", LONGER],
  ["enters", /\benter(?:s|ed|ing)?\b|\b(?:goes|gets|comes|walks|steps|drives|moves|runs|climbs)(?: in)?(?:to|side)\b/],
  [
    "appears",
    /\b(?:appear(?:s|ed)?|show(?:s|ed)? up|turns? up|com(?:es?|ing)|came|arriv(?:es?|ed|ing)|there(?:'s| is| are)|(?:is|are) (?:seen|visible|spotted|detected|there|here|around|present|in|on|at|@c)|(?:you )?(?:see|spot|notice|detect)|visits?|delivered|shows)\b/,
  ],
];

const GOES_AGAIN =
  "(?:leaves?|go(?:es)?|(?:is|are|has|have|gets?) (?:gone|left)|moves? (?:on|off|away)|drives? (?:off|away|on)|walks? (?:off|away|on)|disappears?|passes|clears?)";
/** "Ignore it if it leaves within two minutes": only who stays longer counts. */
const SHORT_STAY = new RegExp(
  `\\b(?:ignore|skip|unless|not|don't|do not|doesn't|never mind|no alert|no need)\\b.*\\b${GOES_AGAIN}\\b.*?\\b(?:within|before|in (?:less|under)(?: than)?|in|under|inside|after (?:less than|only)) (${DURATION})\\b`,
);

/** `text` is without hours, cooldown and cameras. A length of time is found whatever the condition. */
export function findCondition(text: string): ConditionWords {
  const short = SHORT_STAY.exec(text)?.[1];
  if (short !== undefined) return { when: "stays", seconds: toSeconds(short) };
  const span = LONGER.exec(text)?.[1] ?? new RegExp(`\\b(${DURATION})\\b`).exec(text)?.[1];
  const seconds = span === undefined ? 0 : toSeconds(span);
  const range = findRange(text);
  const atLeast = range?.[0] ?? findAtLeast(text);
  const atMost = range?.[1] ?? (atLeast === undefined ? findAtMost(text) : undefined);
  const when = findWhen(text, atLeast ?? atMost);
  return { when, seconds: seconds > 0 ? seconds : undefined, atLeast, ...(when === "count" && { atMost }) };
}

/** It sets how long something has to stay, and wants nothing of its own. */
export function isShortStay(text: string): boolean {
  return SHORT_STAY.test(text);
}

/** What is said comes before what may be meant. */
function findWhen(said: string, number: number | undefined): When | undefined {
  const text = said.replace(INTERJECTION, "").replace(LEFT_OUT, " ");
  if (isAbsence(text)) return "absent";
  if (number !== undefined) return "count";
  return WHENS.find(([, pattern]) => pattern.test(text))?.[0];
}

const NOT =
  "(?:hasn't|haven't|hadn't|has not|have not|didn't|did not|doesn't|does not|don't|do not|can't|cannot|can not|won't|will not|fails? to)";
const NOT_SEEN = new RegExp(
  `\\b${NOT}\\b(?:(?! (?:tell|alert|warn|notify|want|need|count|bother|let|like)\\b).){0,20}\\b(?:see(?:n|ing)?|spot(?:ted|ting)?|notic(?:ed?|ing)|detect(?:ed|ing)?|find(?:ing)?|found|had|been|come|came|arrived?|show(?:n|ed)? up|turn(?:ed)? up|appear(?:ed)?|visited)\\b`,
);
/** "The truck isn't at the dock". */
const NOT_THERE =
  /\b(?:isn't|aren't|wasn't|weren't|(?:is|are|was|were) (?:not|no longer))(?: (?:back|yet|still))? (?:there|here|present|around|visible|seen|in view|on|at|in|@c)(?= |$)/;
/** What is left out leaves nothing. */
const LEFT_OUT = /\bleav(?:e|ing) (?:[\w'@-]+ ){0,3}(?:out|alone|be|running)\b(?! of (?:the|view|sight))/g;
/** Who waits for the last one to go waits for nobody to be there. */
const ALL_OF_THEM = /\b(?:everyone|everybody|all (?:of them|the \w+|people)|the last (?:one|person|\w+))\b/;

/** "No wait, …" waits for nothing. */
const INTERJECTION = /^(?:(?:no|oh|hmm|ok|okay|actually|sorry|um|well) )*(?:wait|hold on|hang on)\b/;

/** What is forbidden is waited for. */
const NOBODY_MAY =
  /\b(?:nobody|no one|no-one|noone)(?:'s| is| has| should have)? (?:may|should|must|allowed|supposed|permitted|meant|can|shall|ought|belongs?|(?:any|no|got any) (?:business|reason|right|need)|needs? to)\b/;

/** "nobody", or "no" before a class: "no car for ten minutes". */
function isAbsence(text: string): boolean {
  if (NOBODY_MAY.test(text) || /\b(?:make sure|ensure|see to it)\b/.test(text)) return false;
  // A bag that nobody attends to is there; a setup without anybody is not.
  if (/\b(?:unattended|abandoned)\b/.test(text) && findClasses(text.split(" ")).length > 0) return false;
  if (ABSENT.test(text) || NOT_SEEN.test(text) || NOT_THERE.test(text) || (LEAVES.test(text) && ALL_OF_THEM.test(text)))
    return true;
  const after = /\b(?:no|without any|not any|hasn't been an?|isn't an?|aren't any|there's no) ([\p{L}' -]+)/u.exec(
    text,
  )?.[1];
  const [first = "", second = ""] = after?.split(" ") ?? [];
  return (
    findClasses([first, second]).length > 0 &&
    findClasses([first]).length + findClasses([`${first} ${second}`]).length > 0
  );
}

const CROWDED =
  /\b(?:crowd(?:ed)?|(?<!\b(?:it|that|this) )(?:is|are|gets?|becomes?) (?:very |really |too )?(?:busy|packed)|gathering|big group|large group)\b/;

function findAtLeast(text: string): number | undefined {
  const more = MORE_THAN.exec(text)?.[1];
  if (more !== undefined) return Math.floor(toNumber(more)) + 1;
  const least = AT_LEAST.map((pattern) => toNumber(pattern.exec(text)?.[1] ?? "")).find((number) => number >= 1);
  if (least !== undefined) return Math.ceil(least);
  const [, many = "", things = ""] = SOME_OF_THEM.exec(text) ?? [];
  if (toNumber(many) > 1 && findClasses(things.split(" ")).length > 0) return toNumber(many);
  return CROWDED.test(text) ? CROWD : undefined;
}

const RANGES = [
  new RegExp(`\\bexactly (${NUMBER})()\\b${NOT_A_TIME} ([a-z-]+)`),
  new RegExp(`\\b(?:between )?(${NUMBER}) ?(?:and|to|-) ?(${NUMBER})\\b${NOT_A_TIME} ([a-z-]+)`),
];

/** "Exactly three people", "between 3 and 5 cars": no fewer and no more. */
function findRange(text: string): readonly [number, number] | undefined {
  const [, from = "", to = "", thing = ""] = RANGES.map((range) => range.exec(text)).find((found) => found) ?? [];
  const [least, most] = [toNumber(from), toNumber(to || from)];
  return findClasses([thing]).length > 0 && least >= 1 && least <= most ? [least, most] : undefined;
}

const FEWER = new RegExp(`\\b(?:fewer|less) than (${NUMBER})\\b${NOT_A_TIME}`);
const AT_MOST = new RegExp(`\\b(?:at most|only) (${NUMBER})\\b${NOT_A_TIME}(?= [a-z])`);

function findAtMost(text: string): number | undefined {
  const fewer = toNumber(FEWER.exec(text)?.[1] ?? "");
  if (fewer > 1) return Math.ceil(fewer) - 1;
  const [, many = "", things = ""] = new RegExp(`${AT_MOST.source} ([a-z-]+)`).exec(text) ?? [];
  return many !== "" && findClasses([things]).length > 0 ? Math.floor(toNumber(many)) : undefined;
}
