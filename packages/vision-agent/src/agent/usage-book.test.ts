import { type AgentEvent, NO_USAGE } from "@vision-agent/agent-core";
import { createTestAgent } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import type { JsonLines } from "../store/json-lines.ts";
import { createUsageBook, type UsageEntry, usageEntrySchema } from "./usage-book.ts";

const USAGE = { ...NO_USAGE, inputTokens: 100, outputTokens: 50 };

describe("the usage book", () => {
  it("adds up per turn, session, watch and day", async () => {
    const { book, talk, log } = build();
    const first = await talk("s1");
    await talk("s1");
    await talk("watch_7");
    const one = { turns: 1, calls: 1, inputTokens: 100, outputTokens: 50, costMicroUsd: 0 };
    expect(book.turn(first)).toEqual(one);
    expect(book.session("s1")).toMatchObject({ turns: 2, inputTokens: 200 });
    expect(book.watch("7")).toEqual(one);
    expect(book.day("2026-01-01")).toMatchObject({ turns: 3, calls: 3 });
    expect(book.day("2025-12-31")).toMatchObject({ turns: 0 });
    expect(book.days().map(({ day, turns }) => [day, turns])).toEqual([["2026-01-01", 3]]);
    for (const entry of log.entries()) expect(usageEntrySchema.parse(entry)).toEqual(entry);
  });

  it("begins a day where the house is", async () => {
    const { book, talk } = build({ timeZone: "America/New_York" });
    await talk("s1");
    expect(book.day()).toMatchObject({ turns: 1 });
    expect(book.day("2025-12-31")).toMatchObject({ turns: 1 });
  });

  it("tells when it cannot be written, and goes on", async () => {
    const problems: string[] = [];
    const { talk, book } = build({ fails: true, onProblem: (one) => problems.push(one) });
    await talk("s1");
    expect(problems).toEqual(["What a turn used could not be written: The disk is full."]);
    expect(book.session("s1")).toMatchObject({ turns: 1 });
  });
});

interface Wanted {
  readonly timeZone?: string;
  readonly fails?: boolean;
  readonly onProblem?: (message: string) => void;
}

function build({ timeZone = "UTC", fails = false, onProblem = () => undefined }: Wanted = {}) {
  const entries: UsageEntry[] = [];
  const log: JsonLines<UsageEntry> = {
    entries: () => entries,
    unreadable: 0,
    async append(entry) {
      entries.push(entry);
      if (fails) throw new Error("The disk is full.");
    },
    settled: async () => undefined,
  };
  const watchOf = (id: string): string | undefined => /^watch_(.+)/.exec(id)?.[1];
  const book = createUsageBook({ log, now: () => Date.UTC(2026, 0, 1), timeZone, watchOf, onProblem });
  const note = (event: AgentEvent): void => book.note(event);
  const house = createTestAgent(() => ({ text: "ok", usage: USAGE }), { onEvent: note });
  const talk = async (sessionId: string): Promise<string> => (await house.talk("Hi", { sessionId })).run.runId;
  return { book, talk, log };
}
