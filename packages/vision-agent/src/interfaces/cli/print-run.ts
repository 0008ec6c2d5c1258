// events of a run → lines in a terminal
import { type Json, NO_CHANGES, type Receipt, type RunEvent } from "@vision-agent/protocol";
import { stepLine } from "@vision-agent/protocol/step-sentence";
import { NO_PROGRESS, type ProgressLine } from "./progress-line.ts";
import { createWordWrap, wrapWords } from "./wrap-words.ts";

/** How words are set apart; plain text where there is no colour. */
export interface Colours {
  dim(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
}

/** How a run is shown in this terminal. */
export interface RunLook {
  readonly colours: Colours;
  /** Where a person finds a picture: a path or an address. */
  readonly pictureAt: (artifactId: string) => string;
  /** Width of the terminal; undefined, or absent, where the words go into a file or another program. */
  readonly columns?: () => number | undefined;
  /** Tells the arguments and results of tools, too. Default false. */
  readonly verbose?: boolean;
  readonly progress?: ProgressLine;
}

export interface RunPrinterOptions extends RunLook {
  /** The assistant's words. */
  readonly say: (text: string) => void;
  /** Whole lines about what is done meanwhile. */
  readonly note: (line: string) => void;
}

/** Prints each event as it comes. */
export interface RunPrinter {
  print(event: RunEvent): void;
  /** Writes what is held back and ends its line, also when the run broke off. */
  end(): void;
}

type ToolCall = Extract<RunEvent, { type: "tool_call" }>;
type ToolResult = Extract<RunEvent, { type: "tool_result" }>;

export function createRunPrinter(options: RunPrinterOptions): RunPrinter {
  const { colours, columns = () => undefined, progress = NO_PROGRESS } = options;
  const words = createWordWrap(columns);
  const calls = new Map<string, ToolCall>();
  let midLine = false;

  const say = (text: string): void => {
    progress.erase();
    if (text !== "") options.say(text);
  };
  const endLine = (): void => {
    say(words.end());
    if (midLine) say("\n");
    midLine = false;
  };
  const note = (text: string, colour: (line: string) => string = colours.dim): void => {
    endLine();
    for (const line of wrapWords(text, columns()).split("\n")) options.note(colour(line));
  };
  const waitFor = (): void => {
    const last = [...calls.values()].at(-1);
    progress.start(last === undefined ? "thinking" : stepLine(last.tool, last.arguments, false));
  };
  const printResult = (event: ToolResult): void => {
    const given = calls.get(event.call_id)?.arguments ?? null;
    calls.delete(event.call_id);
    note(resultLine(event, given));
    if (options.verbose) note(detailLines(event, given));
    for (const id of event.images) note(`  picture: ${options.pictureAt(id)}`);
    waitFor();
  };

  const print: RunPrinter["print"] = (event) => {
    switch (event.type) {
      case "run_started":
        return waitFor();
      case "text_delta":
        progress.stop();
        say(words.push(event.text));
        midLine = !event.text.endsWith("\n");
        return;
      case "tool_call":
        endLine();
        calls.set(event.call_id, event);
        return waitFor();
      case "tool_result":
        return printResult(event);
      case "retry":
        note(`Trying again in ${Math.ceil(event.delay_ms / 1000)} s: ${event.reason}`, colours.yellow);
        return waitFor();
      case "discarded":
        note(`Starting this answer again: ${event.reason}`, colours.yellow);
        return waitFor();
      case "warning":
        return note(event.message, colours.yellow);
      case "run_ended":
        progress.stop();
        if (event.outcome.status === "failed") note(event.outcome.reason, colours.red);
        if (event.outcome.status === "stopped") note(event.outcome.reason, colours.yellow);
        if (event.outcome.status === "cancelled") note("Stopped.", colours.yellow);
        if (event.outcome.receipt !== undefined) note(receiptLines(event.outcome.receipt));
        if (event.outcome.status === "paused") note(event.outcome.reason, colours.yellow);
        return;
      case "thinking_delta":
      case "steered":
      case "error":
        return;
    }
  };
  return {
    print,
    end() {
      progress.stop();
      endLine();
    },
  };
}

/** "· looked at street, 0.1 s"; with the reason when it did not work. */
function resultLine({ tool, outcome, text, duration_ms }: ToolResult, given: Json): string {
  const line = `· ${stepLine(tool, given, outcome === "ok")}`;
  const took = duration_ms < 100 ? `${Math.round(duration_ms)} ms` : `${(duration_ms / 1000).toFixed(1)} s`;
  if (outcome === "ok") return `${line}, ${took}`;
  return `${line}: ${outcome.replaceAll("_", " ")}, ${took}\n  ${shorten(text.split("\n")[0] ?? "")}`;
}

function detailLines({ tool, outcome, text }: ToolResult, given: Json): string {
  return [`${tool} ${JSON.stringify(given)}`, ...`${outcome}: ${text}`.split("\n")]
    .map((line) => `  ${line}`)
    .join("\n");
}

function receiptLines({ effects }: Receipt): string {
  return effects.length === 0 ? NO_CHANGES : effects.map(({ text }) => `✓ ${text}`).join("\n");
}

const LONGEST = 200;

function shorten(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}
