import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../config/config-error.ts";
import { createMemoryFiles } from "../../testing/memory-files.ts";
import { WorkspaceError } from "../../workspace/workspace-error.ts";
import { ListenError } from "../http/listen.ts";
import { leaveServerNote, readServerNote } from "../http/server-note.ts";
import { UsageError } from "./exit-codes.ts";
import { toStartFailure } from "./start-failure.ts";
import { type SignalSource, whenToldToStop } from "./when-told-to-stop.ts";

describe("a start that fails", () => {
  it.each<[unknown, number, string]>([
    [new UsageError("There is no scene."), 2, "There is no scene."],
    [new ConfigError([{ key: "server.port", message: "config.yaml line 2: wrong." }]), 2, "config.yaml line 2: wrong."],
    [new WorkspaceError("in_use", { message: "In use.", hint: "Stop it." }), 1, "In use. Stop it."],
    [new ListenError("port_in_use", "Port 1 is in use."), 1, "Port 1 is in use."],
    [new ListenError("not_loopback", "Needs a token."), 2, "Needs a token."],
    [new Error("odd\n    at somewhere"), 1, "Vision Agent stopped because of an error: odd"],
  ])("is told in one sentence: %s", (thrown, exitCode, message) => {
    expect(toStartFailure(thrown)).toEqual({ message, exitCode });
  });
});

describe("being told to stop", () => {
  it.each(["SIGINT", "SIGTERM", "disconnect"] as const)("hears %s, and leaves at once at the second", async (event) => {
    const { source, emit, exits } = signals();
    const stop = whenToldToStop(source);
    emit(event);
    await stop.told;
    expect(exits).toEqual([]);
    emit("SIGINT");
    expect(exits).toEqual([130]);
    stop.dispose();
    emit(event);
    expect(exits).toEqual([130]);
  });
});

describe("the note of the server", () => {
  const processes = { stampOf: (pid: number) => (pid === 7 ? "alive" : undefined) };

  it("is read by other commands while the server lives", async () => {
    const note = { files: createMemoryFiles(), processes, path: "/w/server.json" };
    expect(await readServerNote(note)).toBeUndefined();
    const remove = await leaveServerNote(note, { pid: 7, address: "http://127.0.0.1:4750", token: "t" });
    expect(JSON.parse(note.files.contents.get("/w/server.json") ?? "")).toEqual({
      url: "http://127.0.0.1:4750",
      token: "t",
      pid: 7,
      stamp: "alive",
    });
    expect(await readServerNote(note)).toEqual({ address: "http://127.0.0.1:4750", token: "t" });
    expect(await readServerNote({ ...note, processes: { stampOf: () => undefined } })).toBeUndefined();
    await remove();
    await remove();
    expect(await readServerNote(note)).toBeUndefined();
  });

  it("counts for nothing when it is torn", async () => {
    const files = createMemoryFiles();
    await files.writeAtomic("/w/server.json", '{"pid":7');
    expect(await readServerNote({ files, processes, path: "/w/server.json" })).toBeUndefined();
  });
});

function signals() {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  const source: SignalSource = {
    on: (event, listener) => emitter.on(event, listener),
    off: (event, listener) => emitter.off(event, listener),
    exit: (code) => void exits.push(code),
  };
  return { source, exits, emit: (event: string) => emitter.emit(event) };
}
