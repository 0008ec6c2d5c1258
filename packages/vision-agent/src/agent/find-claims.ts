// a sentence of an answer → what it says was done

import { ADVERB, type Claim, EARLIER, NOT } from "./claim.ts";
import { CLAIM_WORDS, type ClaimKind, HARMLESS_VERBS, HOUSE_NOUNS, PRONOUNS, SCENE_NOUNS } from "./claim-words.data.ts";
import { findPromises, findStanding, isBareDone } from "./find-promises.ts";

const LEAD = "(?: (?:gone|went) ahead and)?";
const CLOCK_TIME = /\b(?:at|since|from|until|between) \d{1,2}(?:[:.]\d{2}|\s?[ap]\.?m)/;
const APP = new RegExp(`\\b(?:${HOUSE_NOUNS})\\b`);
const REPORT =
  /\b(?:today|so far|in total|during|in the (?:last|past)|looks? like|seems?|apparently|appears? to|probably|perhaps)\b/;
const SUBJECT = new RegExp(`\\b(?:${HOUSE_NOUNS}|workflows?|system)\\b`);
const SCENE = new RegExp(
  `\\b(?:${SCENE_NOUNS})$|^(?:(?:the|a|an|one|two|three|some|\\d+|other|white|red|black|blue) )*(?:${SCENE_NOUNS})\\b`,
);
const PRONOUN_SUBJECT = new RegExp(`\\b(?:${PRONOUNS})$`);
const PRONOUN_OBJECT = new RegExp(`^(?:(?: \\w+)? (?:${PRONOUNS}))\\b|^(?:[.!]|$)`);
const ACKNOWLEDGED =
  /^(?:(?:ok|okay|done|sure|great|perfect|alright|all right|yes|all set|got it|understood|no problem|there you go|good news|certainly|of course|absolutely|right)[\s,.!:;—–-]+)+/;

/** Every claim of one sentence. `names` are those of cameras, pipelines, watches and tasks, in small letters. */
export function findClaims(sentence: string, names: readonly string[]): readonly Claim[] {
  const text = plain(sentence);
  const clauses = splitClauses(text.replace(ACKNOWLEDGED, ""));
  const isNamed = (part: string): boolean => names.some((name) => mentions(part, name));
  const found: Claim[] = [];
  let speaker = false;
  for (const [number, clause] of clauses.entries()) {
    if (isQuestion(clause, text)) continue;
    const claims = [
      ...firstPerson(clause, isNamed, speaker),
      ...passive(clause, isNamed, text),
      ...elliptic(clause, isNamed, number === 0),
      ...findStanding(clause, isNamed, text),
      ...findPromises(clause, text),
    ];
    speaker = speaker
      ? !/^(?:the|a|an|it|you|there|this|that|he|she|they)\b/.test(clause)
      : /\b(?:i|we)\b/.test(clause);
    found.push(...claims);
  }
  if (found.length === 0 && (isBareDone(text) || isBareDone(clauses[0] ?? "")))
    return [{ kind: "done", scope: "turn", going: false, clause: text }];
  return distinct(found);
}

/** Whether a text names something, as a word of its own. */
export function mentions(text: string, name: string): boolean {
  if (name === "") return false;
  const at = text.indexOf(name);
  if (at < 0) return false;
  const isEdge = (char: string | undefined): boolean => char === undefined || !/[\w-]/.test(char);
  return (isEdge(text[at - 1]) && isEdge(text[at + name.length])) || mentions(text.slice(at + 1), name);
}

/** Small letters, plain apostrophes, without marks of Markdown and without what is quoted. */
export function plain(sentence: string): string {
  return sentence
    .toLowerCase()
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`/g, (quoted) =>
      quoted.length > 40 || / /.test(quoted) ? "…" : quoted.slice(1, -1),
    )
    .replaceAll(/[*~#>]|(?<!\w)_|_(?!\w)|\p{Extended_Pictographic}\uFE0F?|^\s*(?:[-•]|\d+[.)])\s+/gu, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll("up and running", "running")
    .replaceAll(
      /\b(?:i can|i could|you can) (?:confirm|report|tell you|say|rest assured|be sure|relax)(?: that)?\b/g,
      "",
    )
    .trim();
}

function splitClauses(text: string): readonly string[] {
  return text
    .split(/[,;:!?()—–]|\.\s|\.$|\s-\s|\b(?:but|because|so that|although|however|and|then)\b/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "");
}

function isQuestion(clause: string, text: string): boolean {
  return (
    text.endsWith("?") &&
    /^(?:shall|should|do|does|did|would|could|can|may|which|what|when|where|who|how|is|are|was|were|has|have|want|ok|okay)\b/.test(
      clause,
    )
  );
}

/** "I have stopped it", "I'm watching the door", and the verbs that follow such a subject. */
function firstPerson(clause: string, isNamed: (part: string) => boolean, speaker: boolean): readonly Claim[] {
  const subject = speaker
    ? "(?:\\b(?:i|we)\\b(?:'ve| have|'d| had| did)?|^(?:have|also|just|now)?)"
    : "\\b(?:i|we)\\b(?:'ve| have|'d| had)?";
  const present = speaker
    ? "(?:\\b(?:i|we)\\b(?:'m| am|'re| are)|^(?:am|are|also|now)?)"
    : "\\b(?:i|we)\\b(?:'m| am|'re| are)";
  return [
    ...matches(clause, `${subject}${ADVERB}${LEAD}${ADVERB} ?`, [...PAST, ANY_DEED], isNamed).map((hit) => ({
      ...hit,
      scope: EARLIER.test(clause) ? ("earlier" as const) : ("turn" as const),
      going: false,
    })),
    ...matches(clause, `${present}${ADVERB} ?`, GOING, isNamed).map((hit) => ({
      ...hit,
      scope: EARLIER.test(clause) || /\bstill\b/.test(clause) ? ("state" as const) : ("turn" as const),
      going: true,
    })),
  ];
}

/** "street-count has been stopped", "the alert was sent", "it is paused", "the count has started". */
function passive(clause: string, isNamed: (part: string) => boolean, text: string): readonly Claim[] {
  const lead = `\\b(?:(?:has|have|had)${ADVERB} been|is being|are being|is|are|was|were|got|has|have)${ADVERB} |'(?:s|re|ve)(?: been)?${ADVERB} `;
  const deeds = matches(clause, `(?:${lead})`, PAST, isNamed);
  const others =
    deeds.length > 0 ? [] : matches(clause, `\\b(?:has|have)${ADVERB} been${ADVERB} `, [ANY_DEED], isNamed);
  return [...deeds, ...others].flatMap((hit): readonly Claim[] => {
    const subject = clause.slice(0, hit.at).trim();
    if (isTold(hit) && !SCENE.test(subject) && !REPORT.test(text)) return toPassive(hit, subject, text);
    const isMeant = SUBJECT.test(subject) || isNamed(subject) || PRONOUN_SUBJECT.test(subject) || subject === "";
    const isMoved = hit.kind === "changed" && /\bcameras?$/.test(subject);
    if (!isMeant || isMoved || SCENE.test(subject) || REPORT.test(text)) return [];
    return toPassive(hit, subject, text);
  });
}

/** "Security has been informed": who is told need not be of the app. */
function isTold({ clause, at, lead, kind }: Hit): boolean {
  const verb = clause.slice(at + lead.length);
  return (
    kind === "sent" &&
    /been|was|were/.test(lead) &&
    /^(?:sent|informed|notified|alerted|e-?mailed|texted|messaged)\b/.test(verb)
  );
}

function toPassive(hit: Hit, subject: string, text: string): readonly Claim[] {
  const { kind, lead } = hit;
  const isAlone = /^(?:has|have)\b/.test(lead) && !/been/.test(lead);
  // "I have stopped it" is found elsewhere; "it has stopped" may be a car.
  if (isAlone && (/\b(?:i|we|you)$/.test(subject) || PRONOUN_SUBJECT.test(subject) || subject === "")) return [];
  if (isAlone && kind === "stopped") return [{ ...hit, scope: "state", going: false }];
  const isPresent = /^(?:is|are|'s|'re)\b/.test(lead) && !/been|being/.test(lead);
  const isHabit = isPresent && (kind === "sent" || kind === "changed") && /^(?:are|'re)/.test(lead);
  if (isHabit && !/\b(?:now|just|already)\b/.test(lead)) return [];
  const isNew = isHabit || (isPresent && kind === "changed");
  return [{ ...hit, scope: isNew ? "turn" : scopeOf(text, isPresent), going: /being/.test(lead) }];
}

function scopeOf(text: string, isPresent: boolean): Claim["scope"] {
  if (isPresent) return "state";
  return EARLIER.test(text) || CLOCK_TIME.test(text) ? "earlier" : "turn";
}

/** "Stopped street-count.", "Pipeline started.", "Alert sent.", "Stopping it now." */
function elliptic(clause: string, isNamed: (part: string) => boolean, isFirst: boolean): readonly Claim[] {
  if (/\b(?:i|we|is|are|was|were|been|has|have|needs|means|requires)\b|'(?:s|ve|m|re)\b/.test(clause)) return [];
  const scope = EARLIER.test(clause) || CLOCK_TIME.test(clause) || REPORT.test(clause) ? "earlier" : "turn";
  const done = matches(clause, "(?:^|^[^,]{2,60}? )", PAST, isNamed).filter((hit) => isElliptic(hit, isNamed, isFirst));
  const isNow = isFirst && /\bnow\b|…$|\.\.\.$/.test(clause);
  const going = isNow ? matches(clause, "^", GOING, isNamed) : [];
  return [
    ...done.map((hit) => ({ ...hit, scope, going: false }) as const),
    ...going.map((hit) => ({ ...hit, scope, going: true }) as const),
  ];
}

function isElliptic({ clause, at, lead }: Hit, isNamed: (part: string) => boolean, isFirst: boolean): boolean {
  const subject = clause.slice(0, at + lead.length).trim();
  if (subject !== "") {
    const isMeant =
      SUBJECT.test(subject) || isNamed(subject) || /^(?:all|both|everything|consider (?:it|that|them))$/.test(subject);
    return isMeant && !SCENE.test(subject);
  }
  const isHeading = /^\S+ (?:\w+ ){0,2}(?:pipelines|tasks|workflows|watches|events|alerts|notes|jobs)$/.test(clause);
  return isFirst && !isHeading;
}

type Form = { readonly kind: ClaimKind; readonly words: string; readonly isVague: boolean };

const PAST: readonly Form[] = CLAIM_WORDS.flatMap(({ kind, past, vague }) => [
  { kind, words: past, isVague: false },
  ...(vague === undefined ? [] : [{ kind, words: vague, isVague: true }]),
]);
/** A deed without a word of its own here. */
const ANY_DEED: Form = { kind: "changed", words: `(?!(?:${HARMLESS_VERBS})[a-z]{0,3}ed\\b)[a-z]{3,}ed`, isVague: true };
const GOING: readonly Form[] = CLAIM_WORDS.map(({ kind, going }) => ({ kind, words: going, isVague: false }));

type Hit = { readonly kind: ClaimKind; readonly clause: string; readonly at: number; readonly lead: string };

/** Every kind that is said after `lead`, unless the clause takes it back. The first kind at a place wins. */
function matches(
  clause: string,
  lead: string,
  forms: readonly Form[],
  isNamed: (part: string) => boolean,
): readonly Hit[] {
  const hits: Hit[] = [];
  for (const { kind, words, isVague } of forms) {
    const match = expression(`(${lead})(?:${words})(?![\\w-])`).exec(clause);
    if (match === null || isTakenBack(clause, match)) continue;
    const [all, before = ""] = match;
    if (hits.some(({ at, lead: other }) => at + other.length === match.index + before.length)) continue;
    const isOfApp = APP.test(clause) || isNamed(clause) || PRONOUN_OBJECT.test(clause.slice(match.index + all.length));
    if (!isVague || isOfApp) hits.push({ kind, clause, at: match.index, lead: before });
  }
  return hits;
}

/** What stands before "I" concerns it only when it is next to it; before "was" all of the subject counts. */
function isTakenBack(clause: string, match: RegExpExecArray): boolean {
  const before = clause.slice(0, match.index);
  const isOwn = /^(?:i|we)\b/.test(match[0]);
  if (isOwn && /\b(?:not|never|no)\b|n't\b/.test(match[0])) return true;
  return NOT.test(isOwn ? before.split(" ").slice(-3).join(" ") : `${before} ${match[0]}`);
}

const expressions = new Map<string, RegExp>();

/** Compiled once: the same few are asked of every sentence. */
function expression(source: string): RegExp {
  const known = expressions.get(source) ?? new RegExp(source);
  expressions.set(source, known);
  return known;
}

function distinct(claims: readonly Claim[]): readonly Claim[] {
  const seen = new Map<string, Claim>();
  for (const { kind, scope, going, clause } of claims) {
    const key = `${kind} ${clause}`;
    if (!seen.has(key)) seen.set(key, { kind, scope, going, clause });
  }
  return [...seen.values()];
}
