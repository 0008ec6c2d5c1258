// what the app has to tell ⇄ the line a person is typing
import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Writable } from "node:stream";

/** A prompt that news does not tear apart. */
export interface PromptScreen {
  /** Waits for the next line; what was held back is told first. */
  ask(): void;
  /** A line was taken: news waits until the next prompt, so that an answer stays in one piece. */
  take(): void;
  /** Tells whole lines now, above what is being typed, or before the next prompt. */
  tell(text: string): void;
  /** Forgets what was typed so far. False when nothing was. */
  forget(): boolean;
}

const SAVE_CURSOR = "\u001b7";
const RESTORE_CURSOR = "\u001b8";

/** `output` is where `lines` echoes; moving the cursor is left out unless it is a terminal. */
export function createPromptScreen(lines: Interface, output: Writable): PromptScreen {
  let asking = false;
  let held = "";
  const tellAbove = (text: string): void => {
    const { line, cursor } = lines;
    moveCursor(output, 0, -lines.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    // Painted here, because readline's own redraw miscounts the rows of a pasted line.
    const typed = `${line.slice(0, cursor)}${SAVE_CURSOR}${line.slice(cursor)}${RESTORE_CURSOR}`;
    output.write(`${text}${lines.getPrompt()}${typed}`);
  };
  return {
    ask() {
      output.write(held);
      held = "";
      asking = true;
      lines.prompt();
    },
    take() {
      asking = false;
    },
    tell(text) {
      if (!asking) {
        held += text;
        return;
      }
      if (lines.terminal) tellAbove(text);
      else output.write(text);
    },
    forget() {
      if (lines.line === "") return false;
      lines.write(null, { ctrl: true, name: "e" });
      lines.write(null, { ctrl: true, name: "u" });
      return true;
    },
  };
}
