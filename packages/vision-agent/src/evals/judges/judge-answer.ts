import type { AnswerPattern } from "../expectation.ts";
import type { EvalOutcome } from "../outcome.ts";
import { describeNumber, fitsNumber } from "./match-patterns.ts";

export function judgeAnswer(
  pattern: AnswerPattern,
  { answer, status }: Pick<EvalOutcome, "answer" | "status">,
): readonly string[] {
  const { all = [], any, none = [], number, money, asks, refuses } = pattern;
  const says = (words: string): boolean => hasWords(answer, words);
  const isQuestion = status === "paused" || QUESTION.test(answer);
  const complaints = [
    ...all
      .filter((one) => ![one].flat().some(says))
      .map((one) => `the answer does not say ${[one].flat().join(" or ")}`),
    ...(any?.some(says) === false ? [`the answer says none of ${any.join(", ")}`] : []),
    ...none.filter(says).map((words) => `the answer says ${words}`),
    ...(number !== undefined && !numbersIn(answer).some((value) => fitsNumber(number, value))
      ? [`no number in the answer is ${describeNumber(number)}`]
      : []),
    ...(money !== undefined && !moneyIn(answer).some((value) => fitsNumber(money, value))
      ? [`no amount of money in the answer is ${describeNumber(money)}`]
      : []),
    ...(asks !== undefined && asks !== isQuestion ? [asks ? "nothing is asked back" : "something is asked back"] : []),
    ...(refuses !== undefined && refuses !== isRefusal(answer)
      ? [refuses ? "the answer does not say that it cannot be done" : "the answer says that it cannot be done"]
      : []),
  ];
  return complaints.map((complaint) => `${complaint}: "${shorten(answer)}"`);
}

/** Whole words, also with an s at the end; upper and lower case are the same. */
export function hasWords(text: string, words: string): boolean {
  const pattern = words
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\s+/g, "\\s+");
  return new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?:e?s|'s)?(?![\\p{L}\\p{N}])`, "iu").test(straighten(text));
}

function straighten(text: string): string {
  return text.replace(/[‘’]/g, "'").replace(/[*`]/g, "");
}

/** With its mark, or a sentence that wants to be told something: "Tell me which camera.", "Which one do you mean." */
const QUESTION =
  /\?|(?:^|[.!;:\n]\s*)(?:please )?(?:(?:tell me|let me know|say) (?:which|what|whether|who|when|where|how)\b|(?:which|what|who|when|where|how)\b[^.!?\n]*\byou (?:mean|want|like|prefer)\b)/i;

const REFUSAL =
  /\b(?:can(?:no|')t|cannot|can not|unable|not able|not possible|impossible|no way|(?:do|does|did|is|are|was|were|has|have|could|will|would)(?: not|n't)|won't|(?:is|are|was|were|have|has|know|knows|see) (?:no|none|nothing|nobody)|no such|no (?:camera|model|pipeline|watch|microphone|sound)|unknown|not (?:available|supported|known|installed|configured|set up|one of|among)|beyond|only (?:see|know|find|detect|watch)|out of reach|refused?)\b/i;

/** Whoever did not understand has not said that it cannot be done. */
const PUZZLED = /[^.!?\n]*\b(?:not|n't) (?:quite )?(?:understand|follow|get that|sure what)\b[^.!?\n]*/gi;

/** "I have not started anything", "nothing was changed": that is no refusal. */
const REASSURANCE =
  /\b(?:I (?:have(?: not|n't)|did(?: not|n't)|'ve not|will not|won't)(?: yet)? (?:start|chang|add|creat|delet|remov|send|sent|stop|paus|touch|d[io])|(?:nothing|no (?:watch|pipeline|alert|camera|task)s?) (?:was|were|has been|have been|will be|is|has|have) (?:start|chang|add|creat|delet|remov|sent|stop|paus|touch|done))\w*(?:(?!\bbecause\b|\bsince\b|\bbut\b)[^.!?\n;,:])*/gi;

/** Says that something cannot be, is not there or is not known. */
function isRefusal(answer: string): boolean {
  return REFUSAL.test(straighten(answer).replace(PUZZLED, "").replace(REASSURANCE, ""));
}

/** In dollars: `$1.50`, `1.50 USD`, `2 dollars`, `30 cents`. */
function moneyIn(text: string): readonly number[] {
  const dollars = [
    ...text.matchAll(/(?:\$|USD)\s*(\d+(?:,\d{3})*(?:\.\d+)?)|(\d+(?:,\d{3})*(?:\.\d+)?)\s*(?:USD|dollars?)\b/gi),
  ];
  const cents = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(?:cents?|¢)/gi)];
  const nothing = /\b(?:costs? nothing|free|for nothing|no cost|nothing spent|spent nothing)\b/i.test(text) ? [0] : [];
  return [
    ...dollars.map(([, before, after]) => Number((before ?? after ?? "").replaceAll(",", ""))),
    ...cents.map(([, amount]) => Number(amount) / 100),
    ...nothing,
  ];
}

const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const NOT_AMOUNTS =
  /\d{4}-\d{2}-\d{2}\S*|\b\d{1,2}[:.]\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?|\b\d{1,2}\s*[ap]\.?m\b|\b\w*[a-z]\w*\d\w*\b/gi;

/** Amounts in the text, in digits or in words; no times, dates, or names with digits in them. */
export function numbersIn(text: string): readonly number[] {
  const plain = text.replace(NOT_AMOUNTS, " ");
  const digits = [...plain.matchAll(/\d+(?:,\d{3})*(?:\.\d+)?/g)].map(([found]) => Number(found.replaceAll(",", "")));
  const words = (plain.toLowerCase().match(/[a-z]+/g) ?? []).map((word) => NUMBER_WORDS.indexOf(word));
  const nothing = /\b(?:no|none|nobody|nothing|never)\b/i.test(plain) ? [0] : [];
  return [...digits, ...words.filter((value) => value >= 0), ...nothing];
}

function shorten(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 299)}…`;
}
