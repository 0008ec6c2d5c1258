// intent + what the tools have said → the next tool calls, or the answer
import type { WorkflowSpec } from "@vision-agent/protocol";
import type { Point } from "../../pipelines/counting-workflow.ts";
import { parseFrameSize } from "../../tools/capture-frame.ts";
import { type PipelineLine, parsePipelineLines } from "../../tools/pipeline-lines.ts";
import {
  composeBeyond,
  composeCameras,
  composeGreeting,
  composeHelp,
  composeList,
  composeLook,
  composeNothingToStop,
  composeStarted,
  composeStopped,
  composeTotals,
  composeUnknown,
  type ToolAnswer,
} from "./compose-answer.ts";
import type { Intent, Known, LinePlacement, StopTarget } from "./intent.ts";
import { parseInstruction, toPlainWords } from "./parse-instruction.ts";
import type { Conversation } from "./read-conversation.ts";

export interface PlannedCall {
  readonly tool: string;
  readonly args: { readonly [key: string]: unknown };
}

const RESULTS = "get_pipeline_results";

export type NextStep =
  | { readonly kind: "call"; readonly calls: readonly PlannedCall[] }
  | { readonly kind: "say"; readonly text: string };

/** How this house writes workflows for a camera. */
export interface SpecBuilders {
  readonly counting: (options: {
    readonly camera: string;
    readonly classes: readonly string[];
    readonly line: readonly [Point, Point];
  }) => WorkflowSpec;
  readonly watching: (options: { readonly camera: string; readonly classes: readonly string[] }) => WorkflowSpec;
}

export function nextStep(conversation: Conversation, known: Known, specs: SpecBuilders): NextStep {
  return stepOf(parseInstruction(conversation.instruction, known), conversation.answers, { known, specs });
}

interface House {
  readonly known: Known;
  readonly specs: SpecBuilders;
}

function stepOf(intent: Intent, answers: readonly ToolAnswer[], house: House): NextStep {
  const [first] = answers;
  switch (intent.kind) {
    case "help":
      return say(composeHelp(house.known));
    case "greeting":
      return say(composeGreeting(house.known));
    case "thanks":
      return say("You are welcome.");
    case "ask":
      return say(intent.question);
    case "beyond":
      return say(composeBeyond(intent));
    case "unknown":
      return say(composeUnknown(house.known));
    case "look":
      return first === undefined ? call("capture_frame", { camera: intent.camera }) : say(composeLook(first, intent));
    case "count":
      return stepOfCount(intent, answers, house);
    case "watch":
      return stepOfWatch(intent, answers, house);
    case "totals":
      return first === undefined
        ? {
            kind: "call",
            calls: intent.pipelines.map((name) => toCall(RESULTS, { pipeline_id: name, max_results: 1 })),
          }
        : say(composeTotals(answers, intent.classes));
    case "list":
      return first === undefined ? call("list_pipelines", {}) : say(composeList(first));
    case "cameras":
      return say(composeCameras(house.known));
    case "stop":
      return stepOfStop(intent.target, answers);
  }
}

/** The line is given in pixels, so a look at the camera comes first. */
function stepOfCount(
  intent: Extract<Intent, { kind: "count" }>,
  answers: readonly ToolAnswer[],
  { known, specs }: House,
): NextStep {
  const where = intent.line === "vertical" ? [] : [intent.line];
  const name = toPipelineName(intent.camera, ...where, ...intent.classes, "count");
  const already = stepOfRunning(name, answers, known);
  if (already !== undefined) return already;
  const [look, started] = answers;
  if (started !== undefined) return say(composeStarted(intent, started));
  if (look === undefined) return call("capture_frame", { camera: intent.camera });
  const size = look.ok ? parseFrameSize(look.text) : undefined;
  if (size === undefined) return say(`I could not start that. ${look.text}`);
  return call("start_pipeline", {
    video_reference: intent.camera,
    pipeline_name: name,
    workflow_spec: specs.counting({ ...intent, line: toLine(intent.line, size) }),
    ...(intent.alert && { alert_on: ["line_crossed"] }),
  });
}

function stepOfWatch(
  intent: Extract<Intent, { kind: "watch" }>,
  answers: readonly ToolAnswer[],
  { known, specs }: House,
): NextStep {
  const name = toPipelineName(intent.camera, ...intent.classes, "watch");
  const already = stepOfRunning(name, answers, known);
  if (already !== undefined) return already;
  const [started] = answers;
  if (started !== undefined) return say(composeStarted(intent, started));
  return call("start_pipeline", {
    video_reference: intent.camera,
    pipeline_name: name,
    workflow_spec: specs.watching(intent),
    alert_on: ["appeared"],
  });
}

/** The name says what it does, so one that runs already is not started twice. */
function stepOfRunning(name: string, [first]: readonly ToolAnswer[], { pipelines }: Known): NextStep | undefined {
  if (first?.tool === RESULTS) return say(`That runs already, as ${name}. ${composeTotals([first], [])}`);
  const runs = first === undefined && pipelines.some((pipeline) => pipeline.name === name);
  return runs ? call(RESULTS, { pipeline_id: name, max_results: 1 }) : undefined;
}

function stepOfStop(target: StopTarget, answers: readonly ToolAnswer[]): NextStep {
  const [list, ...stops] = answers;
  if (list === undefined) return call("list_pipelines", {});
  if (stops.length > 0) return say(composeStopped(stops));
  if (!list.ok) return say(composeList(list));
  const running = parsePipelineLines(list.text);
  const chosen = choose(target, running);
  if (chosen.length === 0) {
    return say(composeNothingToStop(target.kind === "words" ? target.words : undefined, running));
  }
  return { kind: "call", calls: chosen.map(({ id }) => toCall("stop_pipeline", { pipeline_id: id })) };
}

function choose(target: StopTarget, running: readonly PipelineLine[]): readonly PipelineLine[] {
  if (target.kind === "everything") return running;
  if (target.kind === "camera") return running.filter(({ camera }) => camera === target.camera);
  const words = ` ${target.words} `;
  const named = running.filter(({ name, id }) => [name, id].some((word) => words.includes(` ${toPlainWords(word)} `)));
  return named.length > 0 || running.length > 1 ? named : running;
}

export function toLine(
  placement: LinePlacement,
  size: { readonly width: number; readonly height: number },
): readonly [Point, Point] {
  const { width, height } = size;
  const upright = (x: number): readonly [Point, Point] => [
    [Math.round(x), 0],
    [Math.round(x), height],
  ];
  const level = (y: number): readonly [Point, Point] => [
    [0, Math.round(y)],
    [width, Math.round(y)],
  ];
  switch (placement) {
    case "vertical":
      return upright(width / 2);
    case "left":
      return upright(width / 4);
    case "right":
      return upright((width * 3) / 4);
    case "horizontal":
      return level(height / 2);
    case "top":
      return level(height / 4);
    case "bottom":
      return level((height * 3) / 4);
  }
}

function toPipelineName(...words: readonly string[]): string {
  return words.map((word) => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")).join("-");
}

function say(text: string): NextStep {
  return { kind: "say", text };
}

function call(tool: string, args: PlannedCall["args"]): NextStep {
  return { kind: "call", calls: [toCall(tool, args)] };
}

function toCall(tool: string, args: PlannedCall["args"]): PlannedCall {
  return { tool, args };
}
