import { type Change, changeSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { openBoundedLog } from "../store/bounded-log.ts";
import { fakeContext, fakePipelines, fakeStatus, NO_WATCHES, textOf } from "../testing/fake-app.ts";
import { fakeChanges } from "../testing/fake-changes.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { createChangeLedger, listChangesTool, receiptLines, toReceipt, withLedger } from "./change-ledger.ts";
import { noteEffect, pipelineEffect, watchEffect } from "./effects.ts";
import { stopPipelineTool } from "./pipeline-tools.ts";

const CALL = { runId: "run_1", sessionId: "session_1", callId: "call_1", tool: "stop_pipeline" } as const;
const STOPPED = pipelineEffect("stopped", fakeStatus());
const two = [fakeStatus(), fakeStatus({ pipeline_id: "pl_2", name: "dock-watch", video_reference: "dock" })];

describe("the ledger of changes", () => {
  it("holds what a call changed, with its time, run, session and call", async () => {
    const changes = fakeChanges();
    const tool = withLedger(stopPipelineTool(fakePipelines({ running: two }), NO_WATCHES), changes);
    await tool.execute({ pipeline_id: "street-count" }, { ...fakeContext(), ...CALL });
    const at = "2026-01-01T10:00:00.000Z";
    const call = { run_id: "run_1", session_id: "session_1", call_id: "call_1", tool: "stop_pipeline" };
    expect(changes.list()).toEqual([{ ...STOPPED, at, ...call }]);
    expect(STOPPED).toMatchObject({ text: "Stopped pipeline street-count on street.", link: "/" });
  });

  it("reads back what happened, not what was asked for", async () => {
    const changes = fakeChanges();
    const pipelines = { ...fakePipelines({ running: two }), stop: async () => fakeStatus() };
    const tool = withLedger(stopPipelineTool(pipelines, NO_WATCHES), changes);
    await expect(tool.execute({ pipeline_id: "pl_1" }, fakeContext())).rejects.toThrow("still listed");
    expect(changes.list()).toEqual([]);
  });

  it("holds what was changed before a call failed", async () => {
    const changes = fakeChanges();
    const pipelines = fakePipelines({ running: two });
    const stop = async (id: string) => {
      if (id === "pl_2") throw new Error("The server does not answer.");
      return await pipelines.stop(id);
    };
    const tool = withLedger(stopPipelineTool({ ...pipelines, stop }, NO_WATCHES), changes);
    await expect(tool.execute({ pipeline_id: "all" }, fakeContext())).rejects.toThrow("does not answer");
    expect(changes.list()).toMatchObject([{ kind: "stopped", id: "pl_1" }]);
  });

  it("counts a call that is made again after a crash once", async () => {
    const changes = fakeChanges();
    await changes.record([STOPPED], CALL);
    await changes.record([STOPPED], CALL);
    expect(changes.list()).toHaveLength(1);
  });

  it("is there after a crash in the middle of a line, and goes on", async () => {
    const files = createMemoryFiles();
    const first = await openLedger(files);
    await first.record([STOPPED], CALL);
    await files.append("/w/changes.jsonl", '{"kind":"stop');
    const second = await openLedger(files);
    await second.record([STOPPED], { ...CALL, callId: "call_2" });
    expect((await openLedger(files)).list().map(({ call_id }) => call_id)).toEqual(["call_1", "call_2"]);
  });

  it("keeps no secret", async () => {
    const files = createMemoryFiles();
    const changes = await openLedger(files, (text) => text.replaceAll("hunter2", "***"));
    await changes.record([noteEffect({ path: "USER.md", line: 1 }, "The password is hunter2.")], CALL);
    expect(await files.readText("/w/changes.jsonl")).not.toContain("hunter2");
  });

  it("says what could not be written, and knows it all the same", async () => {
    const problems: string[] = [];
    const entries: Change[] = [];
    const append = async (entry: Change) => {
      entries.push(entry);
      throw new Error("The disk is full.");
    };
    const log = { entries: () => entries, append, rewrite: async () => undefined };
    const onProblem = (message: string) => void problems.push(message);
    const changes = createChangeLedger({ log, now: () => 0, redact: (text) => text, onProblem });
    await changes.record([STOPPED], CALL);
    expect(problems).toEqual(["A change could not be written down: The disk is full."]);
    expect(changes.list({ run: "run_1" })).toHaveLength(1);
  });
});

describe("a receipt", () => {
  it("has a line for each effect, and says so when there is none", () => {
    const watch = watchEffect("created", {
      id: "watch_1",
      words: "tell me when a dog comes",
      cameras: ["yard", "dock"],
    });
    expect(watch.link).toBe("/watches/watch_1");
    expect(receiptLines({ effects: [STOPPED, watch] })).toEqual([
      "Stopped pipeline street-count on street.",
      'Created watch "tell me when a dog comes" on yard, dock.',
    ]);
    expect(receiptLines({ effects: [] })).toEqual(["No changes made."]);
  });

  it("is there when a tool ran, and not after talk", () => {
    expect(toReceipt([], [])).toBeUndefined();
    expect(toReceipt(["think", "ask_user"], [])).toBeUndefined();
    expect(toReceipt(["think", "capture_frame"], [])).toEqual({ effects: [] });
  });
});

describe("list_changes", () => {
  it("tells what was done, in a span of time or a conversation", async () => {
    let now = Date.UTC(2026, 0, 1, 22, 30);
    const changes = fakeChanges(() => now);
    await changes.record([STOPPED], CALL);
    now += 3600_000;
    const second = pipelineEffect("resumed", fakeStatus({ pipeline_id: "pl_2", name: "dock-watch" }));
    await changes.record([second], { ...CALL, sessionId: "session_2", callId: "call_2" });
    const tool = listChangesTool({ changes, timeZone: "Europe/Berlin" });
    const ask = async (args: object, sessionId = "session_2") =>
      textOf(await tool.execute(args, { ...fakeContext(), sessionId }));
    expect(await ask({})).toBe(
      "- 2026-01-01 23:30:00 Stopped pipeline street-count on street. (pl_1)\n- 2026-01-02 00:30:00 Resumed pipeline dock-watch on street. (pl_2)",
    );
    expect(await ask({ since: "2026-01-02" })).toMatch(/^- 2026-01-02 00:30:00 Resumed [^\n]*$/);
    expect(await ask({ until: "2026-01-02" })).toMatch(/^- 2026-01-01 23:30:00 Stopped [^\n]*$/);
    expect(await ask({ session: "current" }, "session_1")).toContain("Stopped");
    expect(await ask({ since: "2026-01-03" })).toBe("No changes made.");
  });
});

async function openLedger(files: FilePort, redact = (text: string) => text) {
  const log = await openBoundedLog({ files, path: "/w/changes.jsonl", schema: changeSchema, maxEntries: 100 });
  return createChangeLedger({ log, now: () => Date.UTC(2026, 0, 1), redact, onProblem: () => undefined });
}
