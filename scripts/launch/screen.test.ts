import { describe, expect, it, vi } from "vitest";
import { createScreen } from "./screen.mjs";

describe("screen", () => {
  it("tells a log that work began, goes on and is done", async () => {
    const { written, stream } = recorder(false);
    await duringSeconds(stream, 13.4);
    expect(written.join("")).toBe("Work …\nWork: 12 s so far\nWork: done in 13.4 s\n");
  });

  it("updates one line on a terminal", async () => {
    const { written, stream } = recorder(true);
    await duringSeconds(stream, 2.5);
    expect(written.join("").split("\r\x1b[K")).toEqual([
      "",
      "Work … 0 s",
      "Work … 1 s",
      "Work … 2 s",
      "Work: done in 2.5 s\n",
    ]);
  });

  it("leaves the last word to the caller when work fails", async () => {
    const { written, stream } = recorder(false);
    const failing = createScreen({ stream }).during("Work", () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(written.join("")).toBe("Work …\n");
  });
});

function recorder(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, write: (text: string) => written.push(text) } };
}

async function duringSeconds(stream: { isTTY: boolean; write: (text: string) => number }, seconds: number) {
  vi.useFakeTimers();
  try {
    const work = createScreen({ stream }).during("Work", () => new Promise((done) => setTimeout(done, seconds * 1000)));
    await vi.advanceTimersByTimeAsync(seconds * 1000);
    await work;
  } finally {
    vi.useRealTimers();
  }
}
