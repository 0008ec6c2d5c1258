// what the tools said → an answer in plain words
import { NO_PIPELINES } from "../../tools/list-pipelines.ts";
import { type PipelineLine, parsePipelineLines } from "../../tools/pipeline-lines.ts";
import { type ClassCount, parseResultLine, type ResultLine } from "../../tools/result-lines.ts";
import { countOf, joinWords, plural } from "./class-words.ts";
import type { Intent, Known, LinePlacement } from "./intent.ts";

/** The result of one tool call, as text. */
export interface ToolAnswer {
  readonly tool: string;
  readonly ok: boolean;
  readonly text: string;
}

const KEY = "With a key in ANTHROPIC_API_KEY a language model answers here instead, and understands far more.";

const LINES: Readonly<Record<LinePlacement, string>> = {
  vertical: "a vertical line through the middle of the picture",
  horizontal: "a horizontal line through the middle of the picture",
  top: "a line across the upper part of the picture",
  bottom: "a line across the lower part of the picture",
  left: "a line in the left part of the picture",
  right: "a line in the right part of the picture",
};

export function composeHelp(known: Known): string {
  const camera = known.cameras[0] ?? "street";
  const cameras = known.cameras.length === 0 ? "No camera is set up yet." : `Cameras: ${known.cameras.join(", ")}.`;
  return [
    "I am the offline interpreter: I read plain instructions by rule, without a language model. You can say:",
    "",
    `- "What do you see on ${camera}?"`,
    `- "Count people crossing the middle of the ${camera} camera"`,
    `- "Watch ${camera} for cars"`,
    '- "How many people crossed?"',
    '- "What is running?" and "Stop everything"',
    "",
    `${cameras} ${KEY}`,
  ].join("\n");
}

export function composeGreeting(known: Known): string {
  const camera = known.cameras[0] ?? "street";
  return `Hello. Ask me "What do you see on ${camera}?", or say "help" for what I can do.`;
}

export function composeUnknown(known: Known): string {
  const camera = known.cameras[0] ?? "street";
  return `I did not understand that. I read plain English by rule: try "What do you see on ${camera}?", "Count people on ${camera}", "What is running?" or "help". ${KEY}`;
}

export function composeBeyond(intent: Extract<Intent, { kind: "beyond" }>): string {
  return `I cannot ${intent.what}. ${intent.instead} ${KEY}`;
}

export function composeCameras({ cameras }: Known): string {
  if (cameras.length === 0) return "No camera is set up yet. Add one to CAMERAS.md in the workspace.";
  return cameras.length === 1
    ? `There is one camera: ${cameras[0]}.`
    : `There are ${cameras.length} cameras: ${joinWords(cameras)}.`;
}

export function composeLook(answer: ToolAnswer, intent: Extract<Intent, { kind: "look" }>): string {
  const line = answer.ok ? parseResultLine(answer.text) : undefined;
  if (line === undefined) return `I could not look: ${answer.text}`;
  const seen = `On ${line.subject} I see ${countsInWords(line.counts)}.`;
  const parts = [reply(intent, line), seen, evidence(answer.text)];
  return parts.filter((part) => part !== "").join(" ");
}

export function composeStarted(intent: Extract<Intent, { kind: "count" | "watch" }>, answer: ToolAnswer): string {
  const pipeline = answer.ok ? parsePipelineLines(answer.text)[0] : undefined;
  if (pipeline === undefined) return `I could not start that. ${answer.text}`;
  const things = intent.classes.length === 0 ? "everything" : joinWords(intent.classes.map(plural));
  const state =
    pipeline.state === "running" || pipeline.state === "starting" ? "" : ` It is ${pipeline.state} at the moment.`;
  if (intent.kind === "watch") {
    return `I am watching ${pipeline.camera} for ${things} now, as ${pipeline.name}, and will tell you when one appears.${state} ${evidence(answer.text)}`.trim();
  }
  const told = intent.alert
    ? " I will tell you when one crosses; crossings close together are told as one."
    : ' Ask "how many crossed?" at any time.';
  return `I am counting ${things} crossing ${LINES[intent.line]} on ${pipeline.camera} now, as ${pipeline.name}.${state}${told} ${evidence(answer.text)}`.trim();
}

export function composeTotals(answers: readonly ToolAnswer[], asked: readonly string[]): string {
  return answers.map((answer) => composeTotal(answer, asked)).join("\n");
}

export function composeList(answer: ToolAnswer): string {
  if (!answer.ok) return `I could not find out: ${answer.text}`;
  const running = parsePipelineLines(answer.text);
  if (running.length === 0) return NO_PIPELINES;
  const lines = running.map(({ name, camera, state }) => `- ${name} on ${camera}: ${state}`);
  return `${running.length === 1 ? "1 pipeline" : `${running.length} pipelines`}:\n${lines.join("\n")}`;
}

export function composeNothingToStop(words: string | undefined, running: readonly PipelineLine[]): string {
  if (running.length === 0) return `${NO_PIPELINES} There is nothing to stop.`;
  const names = joinWords(running.map(({ name }) => name));
  const which = words === undefined ? "" : "I am not sure which one you mean. ";
  return `${which}Running: ${names}. Say "stop ${running[0]?.name}" or "stop everything".`;
}

/** The last answer knows best what is still running. */
export function composeStopped(answers: readonly ToolAnswer[]): string {
  const stopped = answers.flatMap(({ ok, text }) => (ok ? (/^Stopped (.+?) \(/.exec(text)?.[1] ?? []) : []));
  const failed = answers.filter(({ ok }) => !ok).map(({ text }) => text);
  const left = answers
    .filter(({ ok }) => ok)
    .map(({ text }) => text.slice(text.indexOf(". ") + 2))
    .toSorted((a, b) => a.length - b.length);
  const rest = left.includes(NO_PIPELINES) ? NO_PIPELINES : (left[0] ?? "");
  const head = stopped.length === 0 ? "Nothing was stopped." : `Stopped ${joinWords(stopped)}.`;
  return [head, ...failed, rest].filter((part) => part !== "").join(" ");
}

function composeTotal(answer: ToolAnswer, asked: readonly string[]): string {
  if (!answer.ok) return answer.text;
  const line = parseResultLine(answer.text);
  if (line === undefined) return answer.text.split("\n")[0] ?? "";
  const totals = crossings(line);
  const now = `In view now: ${countsInWords(line.counts)}.`;
  const missing = asked.filter((className) => !line.counts.some((count) => count.className === className));
  const none = totals === "" && missing.length > 0 ? `No ${joinWords(missing)} in view. ` : "";
  return `${line.subject}: ${none}${totals}${now} ${evidence(answer.text)}`.trim();
}

function crossings(line: ResultLine): string {
  const figure = (word: RegExp): number | undefined => {
    const found = line.figures.find(({ name, value }) => word.test(name) && /^\d+$/.test(value));
    return found === undefined ? undefined : Number(found.value);
  };
  const [into, out] = [figure(/(^|_)in$/), figure(/(^|_)out$/)];
  if (into === undefined || out === undefined) return "";
  return `${into + out} crossed the line since it started, ${into} in and ${out} out. `;
}

/** To the question itself; empty when nothing in particular was asked for. */
function reply({ classes, howMany }: Extract<Intent, { kind: "look" }>, { counts, subject }: ResultLine): string {
  if (classes.length === 0) return "";
  const found = counts.filter(({ className }) => classes.includes(className));
  if (found.length === 0) return `No ${joinWords(classes.map(plural))} on ${subject} at this moment.`;
  return howMany ? `${countsInWords(found)} on ${subject} at this moment.` : `Yes, ${countsInWords(found)}.`;
}

function countsInWords(counts: readonly ClassCount[]): string {
  return counts.length === 0 ? "nothing" : joinWords(counts.map(({ count, className }) => countOf(count, className)));
}

/** By whom it was seen, so that a scene's own script is not taken for a detector. */
function evidence(text: string): string {
  const model = /^Model: ([^\s,]+)( \(simulated)?/m.exec(text);
  if (model === null) return "";
  const [, id = "", simulated] = model;
  return simulated ? `(Simulated: ${id} reads the scene's script, no detector looked.)` : `(Seen by ${id}.)`;
}
