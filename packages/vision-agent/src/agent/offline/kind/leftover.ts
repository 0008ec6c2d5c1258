// the words of a wish that neither a slot nor the grammar of a wish accounts for: as long as there are any, nothing changes
import type { Clause, Slots } from "../intent.ts";
import { NUMBER } from "../slots/amounts.ts";
import { hasAny } from "../slots/fill-slots.ts";
import { isShortStay } from "../slots/find-condition.ts";
import { toPlainWords } from "../words/plain-words.ts";

const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Who is asked, how, and the small words between: they say nothing of what is wanted. */
const REQUEST = setOf(`
  a about again ah all also always am an and any anybody anyone anything anytime anyway are as ask at attention away back be because been being
  both by can check could count counting counts detect did do does each either else especially ever every everybody everyone everything eye eyes
  find follow for from get give gives going got had has have having he hear hello help here hey hi him his how i i'd i'll i'm i've if immediately in inform into is it
  it's its just keep keeping kindly know let let's like live look looking looks love lookout make may me might mind moment monitor monitoring must my
  need needs new notice notification notifications notified notify now observe of off ok okay on once one ones onto oh or our ours out outside over own
  please pls point question record report right run running say see seeing seen send set she should show so some somebody someone something soon
  sorry spot start starting sure take tell text thank thanks that that's the their them then there there's these they thing things this those through
  time to together too towards track up us use using very via wait want wanted wants warn warning was watch watching way we well were what when whenever
  where whether which while who whoever who's will wish with would you your alert alerts alerting alerted message messages ping shout heads-up
  camera cameras cam cams video stream feed picture frame view screen image scene site around near by past visible inside right-now many number amount how-many
  total tally care interested meant mean remind remember forget far enough hmm yeah yes well yep um uh actually instead but though ta cheers bell begin beginning
  alarm alarms whisper model sees sharp look-out guards guard whole good great nice put bit drop line her queue queues drive ride
  also however exactly build two workflow workflows pipeline pipelines keeps simply close sharp job jobs film figures`);

/** What a condition, a place or a limit is said with. */
const CONDITION = setOf(`
  across after area before behind bottom center centre corner cross crosses crossing direction down edge empty enter enters entering exit exits exiting
  front gone half halfway horizontal horizontally leave leaves leaving least left less line lines long longer lower lot middle more most minimum
 nobody no-one part parked people present quarter side sides than third top upper vertical vertically zone busy crowd crowded group
  simultaneously same both fewer once twice stays stayed stay unattended alone still standing waiting left-hand right-hand in out inbound outbound
  passes passing through goes walks drives comes arrives appears shows turns up leaves disappears vanishes loiter loiters loitering linger lingers`);

const TIME = setOf(`
  am pm o'clock oclock midnight noon morning mornings afternoon afternoons evening evenings night nights nighttime daytime day days daily dark dusk dawn sunset
  sunrise hour hours minute minutes min mins second seconds sec secs h hr hrs half quarter between until till during only after before past overnight
  since within next tonight today tomorrow week weeks weekend weekends weekday weekdays monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays
  thursdays fridays saturdays sundays long every`);

const DAYS = setOf(
  "not never except but mon tue tues wed thu thurs fri sat sun through workdays school business working workday",
);
const LIMITS = setOf(
  "per fps frames second seconds most more than often every once at maximum max cooldown between apart not",
);
/** Of a wish for quiet, with the times it may last. */
const QUIET = setOf(`
  mute unmute quiet silence silent snooze shush hush quietly no not don't more stop peace disturb bother bothering pester pestering nag nagging leave alone
  notifications pings pinging anything nothing hold skip keep turn hear word until till rest except besides excluding apart other than speak talk end
  muting`);
/** Only a watch knows colours. */
const WORN = setOf("gray wearing dressed shirt top jacket coat in");
const LASTS = setOf("lasts last goes continues still");
/** Who is at home. */
const MODE = setOf("mode modes home away night gone asleep sleeping bed only not in");
const SEVERITY = setOf(
  "urgent urgently critical warning info important priority emergency serious severe severity high low level",
);
const EXCEPTION = setOf("not except excluding ignore ignoring apart other than leave out skip no only don't");
const ABSENCE = setOf(
  "no not don't can't cannot doesn't didn't hasn't haven't isn't aren't won't free deserted unmanned abandoned vacant clear last",
);
/** "Ignore it if it leaves within a minute." */
const SHORT_STAY = setOf("ignore skip unless not don't doesn't never no need");
/** By which somebody may be told. */
const CHANNEL = setOf("e-mail email sms phone call whatsapp telegram slack discord");
/** What takes the place of something said before. */
const CHANGE = setOf(
  "not don't only except wrong better hold scrap tight little short bother annoying regarding concerning plenty fire fires firing change",
);
/** What may not be is waited for. */
const FORBIDDEN =
  /\b(?:must|should|may|can|shall) not\b|\bnot (?:be )?(?:allowed|permitted|supposed|meant)\b|\b(?:permitted|allowed|supposed|ensure|otherwise)\b/g;
/** A no that answers, or begins an amount. */
const ANSWERED = /^no\b|\bno (?:need|more|longer|less|fewer|later)\b/g;
const NOT_THERE = /\b(?:except|but not|not) (?:the |for |on )*@c(?= |$)/g;
const NUMBER_WORD = new RegExp(`^(?:${NUMBER}|dozen|couple|pair)$`);

/** It says nothing by itself, so nothing is called by it. */
export function isPlainWord(word: string): boolean {
  return [REQUEST, CONDITION, TIME].some((words) => words.has(word));
}

/** Empty when every word of the wish was used. */
export function leftoverOf(clause: Clause, isChange = isChangeOf(clause)): readonly string[] {
  const { judged, judgedWhole, slots, words } = clause;
  const isQuiet = clause.act.kind === "quiet";
  const isWatch = isChange || clause.act.kind === "watch";
  const isUsed = usedBy(slots, isChange || isQuiet);
  const names = new Set([...namesIn(slots), ...(clause.called?.phrase.split(" ") ?? [])]);
  const said = (judgedWhole ?? judged).words
    .join(" ")
    .replace(FORBIDDEN, "")
    .replace(NOT_THERE, "")
    .replace(ANSWERED, "");
  const short = isShortStay(toPlainWords(words).replaceAll("it's", "it is")) ? SHORT_STAY : NONE;
  const left = said
    .split(/\s+/)
    .filter(
      (word) =>
        word !== "" &&
        !isUsed(word) &&
        !names.has(word) &&
        !short.has(word) &&
        !(isQuiet && QUIET.has(word)) &&
        !(isWatch && slots.colour !== undefined && (word === slots.colour || WORN.has(word))),
    );
  return [...new Set(left.map((word) => (word === FIGURE ? "the number" : word)))];
}

/** "Make it five": what the figure is of stands in what is changed. */
function isChangeOf({ act }: Clause): boolean {
  return act.kind === "none" || act.kind === "calmer";
}

/** Being somewhere and moving there is what a detector sees. */
const SEEN =
  /^(?:walk|driv|drove|go|goe|com|came|pass|roll|pull|mov|rid|stroll|wander|approach|arriv|return|visit|appear|enter|stay|leav|cross|stand|wait|park|show|turn|pop|stop|sneak|trespass|intrud|loiter|linger|head|exist|gather|collect|queu|line|lin|crowd|block|occup|pres|be|need|happen|remain|sit|lie|lay|lurk|prowl|roam|hang|creep|swing|step|get|reach|travel|cycl|land|fly|flie|swim|sail|do|did|doe|may|might|must|can|shall|should|will|would)(?:s|es|ed|ing|ting|ping|ning|ent|ies|nt)?$/;
const FIGURE = "@n";
const NONE: ReadonlySet<string> = new Set();

function usedBy(slots: Slots, isChange: boolean): (word: string) => boolean {
  const hasTime =
    isChange || hasAny(slots, "hours", "days", "once", "seconds", "cooldownSeconds", "end", "againSeconds");
  const hasNumber = hasTime || hasAny(slots, "atLeast", "atMost", "fps", "metres");
  const hasLimit = hasAny(slots, "cooldownSeconds", "fps");
  const hasException = slots.excluded.length > 0 || slots.way !== undefined;
  return (word) => {
    if (word === FIGURE) return hasNumber;
    return (
      word.length < 2 ||
      word.startsWith("@") ||
      REQUEST.has(word) ||
      CONDITION.has(word) ||
      SEEN.test(word) ||
      (hasNumber && word.split("-").every((part) => NUMBER_WORD.test(part))) ||
      (slots.atMost !== undefined && word === "between") ||
      (slots.when === "absent" && ABSENCE.has(word)) ||
      (isChange && CHANGE.has(word)) ||
      (hasTime && TIME.has(word)) ||
      (hasLimit && LIMITS.has(word)) ||
      (slots.againSeconds !== undefined && LASTS.has(word)) ||
      (slots.modes !== undefined && MODE.has(word)) ||
      (slots.days !== undefined && DAYS.has(word)) ||
      (slots.severity !== undefined && SEVERITY.has(word)) ||
      (slots.channel !== undefined && CHANNEL.has(word)) ||
      (hasException && EXCEPTION.has(word)) ||
      slots.cameras.some((name) => isSlipOf(word, name))
    );
  };
}

/** Cameras, things and places that the answer names. */
function namesIn(slots: Slots): ReadonlySet<string> {
  const { thing = "", unknownCamera = "", unknownZone = "", model = "", workflow = "", workspace = "" } = slots;
  const place = slots.zone?.place ?? (typeof slots.line === "object" ? slots.line.name : "");
  const names = [...slots.cameras, thing, unknownCamera, unknownZone, model, workflow, workspace, place];
  return new Set(names.flatMap((name) => toPlainWords(name).split(" ")).flatMap((word) => [word, `${word}s`]));
}

const SLIP_LETTERS = 4;

/** The beginning of a name is written right more often than its end. */
function isSlipOf(word: string, name: string): boolean {
  return word.length >= SLIP_LETTERS && name.toLowerCase().startsWith(word.slice(0, SLIP_LETTERS));
}
