import type { RunEvent } from "@vision-agent/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PLAIN, runEnded } from "../../testing/fake-api-client.ts";
import { createRunPrinter, type RunLook } from "./print-run.ts";
import { createProgressLine, withProgress } from "./progress-line.ts";
import { createWordWrap, wrapWords } from "./wrap-words.ts";

const STARTED: RunEvent = { type: "run_started", run_id: "run_1", session_id: "session_1", speaker: "x" };
const CALL: RunEvent = { type: "tool_call", call_id: "c1", tool: "capture_frame", arguments: { camera: "street" } };
const RESULT: RunEvent = {
  type: "tool_result",
  call_id: "c1",
  tool: "capture_frame",
  outcome: "ok",
  text: "street: 3 person.\nFrame: 960x540 px.",
  images: [],
  duration_ms: 120,
};

describe("a run in a terminal", () => {
  it("is one human line per tool", () => {
    expect(print([STARTED, CALL, RESULT])).toBe("· looked at street, 0.1 s\n");
    expect(print([CALL, { ...RESULT, outcome: "error", text: "The camera is down.\nmore", duration_ms: 8 }])).toBe(
      "· looking at street: error, 8 ms\n  The camera is down.\n",
    );
  });

  it("tells what a tool was given and what it answered with --verbose", () => {
    expect(print([CALL, RESULT], { verbose: true })).toBe(
      [
        "· looked at street, 0.1 s",
        '  capture_frame {"camera":"street"}',
        "  ok: street: 3 person.",
        "  Frame: 960x540 px.",
        "",
      ].join("\n"),
    );
  });

  it("breaks lines between words in a terminal, wherever the stream is cut", () => {
    const deltas = ["On str", "eet I see 3 peop", "le and a dog."].map(text);
    expect(print(deltas, { columns: () => 16 })).toBe("On street I see\n3 people and a\ndog.\n");
  });

  it("leaves the words as they are for a file or another program", () => {
    const long = "On street I see three people and a dog. ".repeat(5);
    expect(print([text(long)])).toBe(`${long}\n`);
  });

  it("says why a run was stopped, apart from what was answered", () => {
    expect(print([text("I look."), runEnded("stopped", "I look.", "No money is left.")])).toBe(
      "I look.\nNo money is left.\n",
    );
  });

  it("ends with what was changed, or that nothing was", () => {
    const end = runEnded("finished", "Done.");
    const withReceipt = (effects: string[]): RunEvent =>
      end.type === "run_ended"
        ? { ...end, outcome: { ...end.outcome, receipt: { effects: effects.map(toEffect) } } }
        : end;
    expect(print([text("Done."), withReceipt(["Stopped street-count on street."])])).toBe(
      "Done.\n✓ Stopped street-count on street.\n",
    );
    expect(print([text("Done."), withReceipt([])])).toBe("Done.\nNo changes made.\n");
  });

  it("ends the line of an answer that broke off", () => {
    expect(print([text("On str")], { columns: () => 40 })).toBe("On str\n");
  });
});

describe("word wrap", () => {
  it("keeps line breaks, indents and words that are longer than a line", () => {
    const wrap = createWordWrap(() => 10);
    const written = wrap.push("- one two three\n\n  four five\nan unbreakable-word x") + wrap.end();
    expect(written).toBe("- one two\nthree\n\n  four\nfive\nan unbreakable-word\nx");
  });

  it("counts characters that take two columns", () => {
    expect(wrapWords("日本 日本 日本", 9)).toBe("日本 日本\n日本");
  });

  it("begins further lines of a note under its words", () => {
    expect(wrapWords("· looked at the street, 0.1 s", 16)).toBe("· looked at the\n  street, 0.1 s");
  });
});

describe("progress", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("shows after two seconds, and is erased before anything else is written", () => {
    const { stream, written } = terminal();
    const progress = createProgressLine(stream);
    const printer = createRunPrinter({ ...look(written), progress });
    printer.print(STARTED);
    printer.print(CALL);
    vi.advanceTimersByTime(1900);
    expect(written.text).toBe("");
    vi.advanceTimersByTime(100);
    expect(written.text).toBe("\r\u001b[K⠋ looking at street… 2 s");
    printer.print(RESULT);
    expect(written.text.split("\r\u001b[K").at(-1)).toBe("· looked at street, 0.1 s\n");
    vi.advanceTimersByTime(2000);
    expect(written.text).toContain("thinking… 2 s");
    printer.print(runEnded("finished"));
    const before = written.text;
    vi.advanceTimersByTime(5000);
    expect(written.text).toBe(before);
    expect(before.endsWith("\r\u001b[K")).toBe(true);
  });

  it("fits into one line", () => {
    const { stream, written } = terminal(20);
    createProgressLine(stream).start("a label that is longer than the terminal is wide");
    vi.advanceTimersByTime(2000);
    expect(written.text.replace("\r\u001b[K", "")).toHaveLength(19);
  });

  it("is erased when the work is done or has failed, and writes nothing into a file", async () => {
    const { stream, written } = terminal();
    const slow = (): Promise<never> => new Promise((_, fail) => setTimeout(() => fail(new Error("no")), 3000));
    const failing = expect(withProgress(createProgressLine(stream), "Starting", slow)).rejects.toThrow("no");
    await vi.advanceTimersByTimeAsync(3000);
    await failing;
    expect(written.text.endsWith("\r\u001b[K")).toBe(true);
    const file = terminal();
    createProgressLine({ ...file.stream, isTTY: false }).start("Starting");
    vi.advanceTimersByTime(5000);
    expect(file.written.text).toBe("");
  });
});

function print(events: readonly RunEvent[], over: Partial<RunLook> = {}): string {
  const written = { text: "" };
  const printer = createRunPrinter({ ...look(written), ...over });
  for (const event of events) printer.print(event);
  printer.end();
  return written.text;
}

function look(written: { text: string }) {
  const write = (words: string): void => {
    written.text += words;
  };
  return {
    say: write,
    note: (line: string) => write(`${line}\n`),
    colours: PLAIN,
    pictureAt: (id: string) => `at/${id}`,
  };
}

function terminal(columns = 80) {
  const written = { text: "" };
  const write = (words: string | Uint8Array): boolean => {
    written.text += String(words);
    return true;
  };
  return { written, stream: { write, isTTY: true, columns } };
}

function text(words: string): RunEvent {
  return { type: "text_delta", message_id: "m", text: words };
}

function toEffect(words: string) {
  return {
    kind: "stopped" as const,
    what: "pipeline" as const,
    id: "pipe_1",
    name: "street-count",
    text: words,
    link: "/",
  };
}
