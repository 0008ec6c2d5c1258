// an outcome and what was expected → what is wrong with it, in sentences
import type { AlertPattern, CameraPattern, CountPattern, Expectation, TaskPattern } from "../expectation.ts";
import type { EvalOutcome } from "../outcome.ts";
import { hasWords, judgeAnswer, numbersIn } from "./judge-answer.ts";
import { effectsAmong, judgeLedger } from "./judge-ledger.ts";
import { judgePipelines } from "./judge-pipelines.ts";
import { judgeWatches } from "./judge-watches.ts";
import { describeNumber, fitsNumber, matchPatterns } from "./match-patterns.ts";

/** Empty when the outcome is right. */
export function judgeOutcome(expected: Expectation, outcome: EvalOutcome): readonly string[] {
  const ended = ["failed", "cancelled", "stopped"].includes(outcome.status);
  return [...(ended ? [`the turn ${outcome.status}: "${outcome.answer}"`] : []), ...judgeParts(expected, outcome)];
}

/** Something was changed, and what is there now is not what was expected; a wrong answer alone is no wrong effect. */
export function hasWrongEffect(expected: Expectation, outcome: EvalOutcome): boolean {
  return effectsAmong(outcome.calls).length > 0 && judgeParts(withoutWords(expected), outcome).length > 0;
}

function withoutWords({ answer: _, count: __, any_of, ...effects }: Expectation): Expectation {
  return { ...effects, any_of: any_of?.map(withoutWords) };
}

function judgeParts(expected: Expectation, outcome: EvalOutcome): readonly string[] {
  const { pipelines, watches, alerts, cameras, tasks, mode, answer, ledger, count, memory, any_of } = expected;
  return [
    ...(pipelines ? judgePipelines(pipelines, outcome.pipelines) : []),
    ...(watches ? judgeWatches(watches, outcome.watches) : []),
    ...(alerts ? judgeAlerts(alerts, outcome) : []),
    ...(cameras ? judgeCameras(cameras, outcome) : []),
    ...(tasks ? judgeTasks(tasks, outcome) : []),
    ...(mode !== undefined && mode !== outcome.mode ? [`the mode is ${outcome.mode}, not ${mode}`] : []),
    ...(answer ? judgeAnswer(answer, outcome) : []),
    ...(ledger ? judgeLedger(ledger, outcome.calls) : []),
    ...(count ? judgeCount(count, outcome) : []),
    ...(memory ? judgeMemory(memory, outcome) : []),
    ...(any_of ? judgeChoices(any_of, outcome) : []),
  ];
}

function judgeChoices(choices: readonly Expectation[], outcome: EvalOutcome): readonly string[] {
  const complaints = choices.map((choice) => judgeParts(choice, outcome));
  if (complaints.some((list) => list.length === 0)) return [];
  return complaints.map((list, index) => `choice ${index + 1}: ${list.join("; ")}`);
}

function judgeAlerts(pattern: AlertPattern, { alerts }: EvalOutcome): readonly string[] {
  const found = alerts.map(({ camera, text }) => `${camera}: ${text}`).join("; ") || "none";
  if (pattern === "none") return alerts.length === 0 ? [] : [`there are alerts: ${found}`];
  const { camera, any, severity, count } = pattern;
  const fitting = alerts.filter(
    (alert) =>
      (camera === undefined || alert.camera.toLowerCase() === camera.toLowerCase()) &&
      (any === undefined || any.some((words) => hasWords(alert.text, words))) &&
      (severity === undefined || alert.severity === severity),
  );
  if (fitsNumber(count, fitting.length)) return [];
  return [`${fitting.length} alerts fit ${JSON.stringify(pattern)}, not ${describeNumber(count)}; there are: ${found}`];
}

function judgeCameras(patterns: readonly CameraPattern[], { cameras }: EvalOutcome): readonly string[] {
  const { unmet, left } = matchPatterns(
    patterns,
    cameras,
    ({ name, source = "" }, camera) =>
      camera.name.toLowerCase() === name.toLowerCase() && camera.source.toLowerCase().includes(source.toLowerCase()),
  );
  const found = cameras.map(({ name, source }) => `${name} (${source})`).join(", ") || "none";
  return [
    ...unmet.map((pattern) => `no camera is ${JSON.stringify(pattern)}; there are: ${found}`),
    ...left.map(({ name }) => `a camera that was not wanted: ${name}`),
  ];
}

function judgeTasks(patterns: readonly TaskPattern[], { tasks }: EvalOutcome): readonly string[] {
  const says = (text: string, words: readonly string[] | undefined): boolean =>
    words === undefined || words.some((one) => hasWords(text, one));
  const { unmet, left } = matchPatterns(
    patterns,
    tasks,
    ({ any, schedule, enabled }, task) =>
      says(task.instructions, any) && says(task.schedule, schedule) && task.enabled === enabled,
  );
  const describe = ({ schedule, instructions }: EvalOutcome["tasks"][number]): string => `${schedule}: ${instructions}`;
  return [
    ...unmet.map(
      (pattern) => `no task is ${JSON.stringify(pattern)}; there are: ${tasks.map(describe).join("; ") || "none"}`,
    ),
    ...left.map((task) => `a task that was not wanted: ${describe(task)}`),
  ];
}

/** What is said must be so, and must come from a tool. */
function judgeCount({ class: name }: CountPattern, { answer, calls, crossed }: EvalOutcome): readonly string[] {
  if (crossed === undefined) return ["the camera shows no scene whose count is known"];
  const isTrue = (text: string): boolean => numbersIn(text).some((value) => fitsNumber(crossed, value));
  const truth = `${name} crossed: ${describeNumber(crossed)}`;
  return [
    ...(isTrue(answer) ? [] : [`the answer does not say how many ${truth}: "${answer}"`]),
    ...(calls.some(({ outcome, result }) => outcome === "ok" && isTrue(result))
      ? []
      : [`no result of a tool says how many ${truth}`]),
  ];
}

function judgeMemory(wanted: readonly (string | readonly string[])[], { newNotes }: EvalOutcome): readonly string[] {
  const isThere = newNotes.some((note) => wanted.every((one) => [one].flat().some((words) => hasWords(note, words))));
  if (isThere) return [];
  return [
    `no new note has ${wanted.map((one) => [one].flat().join(" or ")).join(" and ")}; new notes: ${newNotes.join("; ") || "none"}`,
  ];
}
