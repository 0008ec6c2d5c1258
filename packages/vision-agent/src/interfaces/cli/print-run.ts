// events of a run → lines in a terminal
import type { RunEvent } from "@vision-agent/protocol";

/** How words are set apart; plain text where there is no colour. */
export interface Colours {
  dim(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
}

export interface RunPrinterOptions {
  /** The assistant's words. */
  readonly say: (text: string) => void;
  /** Whole lines about what is done meanwhile. */
  readonly note: (line: string) => void;
  readonly colours: Colours;
  /** Where a person finds a picture: a path or an address. */
  readonly pictureAt: (artifactId: string) => string;
}

/** Prints each event as it comes. */
export function createRunPrinter(options: RunPrinterOptions): (event: RunEvent) => void {
  const { say, colours, pictureAt } = options;
  let midLine = false;
  const note = (line: string): void => {
    if (midLine) say("\n");
    midLine = false;
    options.note(line);
  };
  return (event) => {
    switch (event.type) {
      case "text_delta":
        midLine = !event.text.endsWith("\n");
        return say(event.text);
      case "tool_call":
        return note(colours.dim(`· ${event.tool} ${shorten(JSON.stringify(event.arguments))}`));
      case "tool_result": {
        const seconds = (event.duration_ms / 1000).toFixed(1);
        note(colours.dim(`  ${event.outcome}, ${seconds} s: ${shorten(event.text.split("\n")[0] ?? "")}`));
        for (const id of event.images) note(colours.dim(`  picture: ${pictureAt(id)}`));
        return;
      }
      case "retry":
        return note(colours.yellow(`trying again in ${Math.ceil(event.delay_ms / 1000)} s: ${event.reason}`));
      case "discarded":
        return note(colours.yellow(`the last words are void: ${event.reason}`));
      case "warning":
        return note(colours.yellow(event.message));
      case "run_ended":
        if (event.outcome.status === "failed") note(colours.red(event.outcome.reason));
        if (event.outcome.status === "cancelled") note(colours.yellow("stopped"));
        if (event.outcome.status === "paused") note(colours.yellow(event.outcome.reason));
        return;
      case "run_started":
      case "thinking_delta":
      case "steered":
      case "error":
        return;
    }
  };
}

const LONGEST = 100;

function shorten(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}
