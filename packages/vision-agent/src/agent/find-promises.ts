// a clause → what it says is so, or will happen by itself
import { ADVERB, type Claim, EARLIER, NOT } from "./claim.ts";
import { type ClaimKind, HOUSE_NOUNS, PRONOUNS } from "./claim-words.data.ts";

const RUNS = new RegExp(
  `(?:\\b(?:is|are)|'s|'re)${ADVERB} (?:(?:running|active|live|in place|armed|in effect|under ?way|under (?:watch|surveillance|observation)|watched|monitored|(?:watching|monitoring|counting|tracking)(?! \\d)|being (?:watched|monitored|counted|tracked))\\b|(?:back )?(?:up|on|online)$)`,
);
const RESTS =
  /\bno longer (?:exists?|running|watching|counting|monitoring|active|watched|monitored)\b|(?:\b(?:is|are)|'s)(?: now)? (?:off|gone)\b/;
const THERE = /\bthere(?:'s| is) (?:now )?an? (?:new )?(?:watch|alert|pipeline|reminder|rule)\b/;
const FIGURE_NOW =
  /\b(?:threshold|cool-?down|confidence|interval|limit|sensitivity|zone|line|schedule)s? (?:is|are) now\b/;
const RULE_NOW = /\bnow(?: only)? (?:fires?|alerts?|sends?|covers?|uses?|tells?)\b|\b(?:continues?|resumes?) now\b/;
const UNDER_WAY =
  /\b(?:alert|message|e-?mail|notification|report|summary|picture)s? (?:(?:is|are) on (?:its|their) way|(?:went|has gone|have gone) out)\b/;
const SUBJECT = new RegExp(`\\b(?:${HOUSE_NOUNS}|workflows?|system|agent)\\b|\\b(?:${PRONOUNS}|we)$`);

/** "Monitoring is live", "it is no longer running", "the threshold is now 0.7". */
export function findStanding(clause: string, isNamed: (part: string) => boolean, text: string): readonly Claim[] {
  const scope = EARLIER.test(text) ? ("earlier" as const) : ("state" as const);
  const claim = (kind: ClaimKind, how: Claim["scope"] = scope): readonly Claim[] => [
    { kind, scope: how, going: false, clause },
  ];
  if (NOT.test(clause)) return [];
  if (UNDER_WAY.test(clause)) return claim("sent", "turn");
  if (FIGURE_NOW.test(clause)) return claim("changed", "turn");
  if (THERE.test(clause)) return claim("started");
  const rests = RESTS.exec(clause);
  const match = rests ?? RUNS.exec(clause) ?? RULE_NOW.exec(clause);
  if (match === null) return [];
  const subject = clause.slice(0, match.index).trim();
  const isCamera = /\b(?:cameras?|streams?)$/.test(subject) && !/watched|monitored|gone/.test(match[0]);
  if (isCamera || !(SUBJECT.test(subject) || isNamed(subject))) return [];
  if (rests !== null) return claim("stopped");
  return RULE_NOW.test(match[0]) ? claim("changed", "turn") : claim("started");
}

const WILL = "(?:'ll| will)(?: \\w+ly| now| also| then| make sure (?:to)?| be sure to| make sure that)*";
const TELL =
  "(?:let you know|tell you|alert you|notify you|inform you|warn you|ping you|message you|e-?mail you|text you)(?= (?:when|if|whenever|as soon as|once|each|every|the moment|about|should|of|by)\\b|$)";
const WATCHING_PROMISE = new RegExp(
  `\\b(?:i|we)${WILL} (?:${TELL}|keep you (?:posted|updated|informed)|send you an? (?:alert|message|notification)|keep (?:an eye|watch|watching|counting|monitoring|tracking)|be (?:watching|monitoring|counting)|(?:watch|monitor) )` +
    `|\\byou${WILL} (?:be (?:notified|alerted|told|informed|warned)|(?:get|receive|see) an? (?:alert|notification|message)|hear from me)`,
);
const TIME =
  "(?:every (?:day|hour|morning|evening|night|week|minute|\\d+|\\w+day)|daily|hourly|weekly|each (?:day|hour|morning|evening|week)|tomorrow|tonight|at \\d{1,2}|in \\d+ (?:minutes?|hours?))";
const TIMED_PROMISE = new RegExp(
  `${WILL} (?:be (?:sent|delivered|posted|run|taken|given)|go out|arrive|send|give|get|receive|post|check|report|remind|summari[sz]e|run|take|capture|look|deliver|prepare|stop|start|pause|resume|do)\\b.*\\b${TIME}`,
);
const MEMORY_PROMISE = new RegExp(
  `\\b(?:i|we)${WILL} (?:remember|keep (?:that|this|it) in mind|make a note|note (?:that|this|it)|bear (?:that|this|it) in mind)\\b|\\bi (?:won't|will not) forget\\b|(?:\\bis|'s)(?: now)? in (?:my )?memory\\b`,
);
const CONDITION =
  /\b(?:if you|once you|when you|as soon as you|after you|tell me|give me|let me|just say|should you|want me|would you like|could|can|would)\b/;

/** What will happen by itself needs something that makes it happen. */
export function findPromises(clause: string, text: string): readonly Claim[] {
  const before = text.slice(0, text.indexOf(clause) + clause.length);
  if (CONDITION.test(before) || text.endsWith("?")) return [];
  const promise = (kind: ClaimKind): readonly Claim[] => [{ kind, scope: "turn", going: false, clause }];
  if (MEMORY_PROMISE.test(clause)) return promise("remembered");
  if (TIMED_PROMISE.test(clause)) return promise("scheduled");
  return WATCHING_PROMISE.test(clause) ? promise("promised") : [];
}

const DONE =
  /^(?:(?:it|that|this|everything)(?:'s| is| has been) )?(?:now )?(?:all )?(?:done|set|taken care of|sorted(?: out)?|completed|finished|in place|ready)(?: for you|,? as (?:you )?(?:asked|requested))?[\s.!]*$|^consider it done\b|^your (?:request|instruction) (?:has been|was|is) (?:processed|completed|carried out|fulfilled)|^the (?:operation|command|change|action) (?:has |was )?(?:completed|succeeded|successful|gone through|went through)/;
const FIRST_WORDS = /^(?:ok(?:ay)?|great|perfect|sure|alright|success)[\s,.!:—–-]+/;

/** Success without a word for what. */
export function isBareDone(text: string): boolean {
  return DONE.test(text.replace(FIRST_WORDS, ""));
}
