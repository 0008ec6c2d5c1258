import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { EnvPatch } from "../types/environment.ts";
import type { Json } from "../types/json.ts";
import type { ToolOutcome, ToolResultPart } from "../types/message.ts";
import { createEnvironment, type Environment, environmentFromJson, replayEnvironment } from "./environment.ts";
import { createEnvironmentBuilder } from "./environment-builder.ts";
import { createReducerRegistry } from "./reducers.ts";
import { createCharCounter, createWordCounter } from "./token-counter.ts";

describe("Environment", () => {
  it("AF-1 AF-2 AF-8 AF-9 AF-11 AF-12 begins with what it is given and empty sections", () => {
    const environment = createEnvironment({ initial: { task: { objective: "count doors" }, extensions: { a: 1 } } });
    expect(environment.version).toBe(0);
    expect(environment.state).toEqual({
      system: { workingDirectory: "", permissions: [], resources: {} },
      task: { objective: "count doors", status: "not_started", stepsCompleted: 0, stepsTotal: 0 },
      knowledge: { discoveredFacts: [], sources: {}, keyConcepts: [] },
      workspace: { files: {}, artifacts: [] },
      extensions: { a: 1 },
    });
  });

  it("AF-6 sets and gets by pointer, each change one version", () => {
    const environment = createEnvironment();
    environment.set("/system/resources/disk", "40 GB");
    environment.set("/knowledge/measured/height", 3);
    expect(environment.get<string>("/system/resources/disk")).toBe("40 GB");
    expect(environment.get<number>("/knowledge/measured/height")).toBe(3);
    expect(environment.get("/nothing/here")).toBeUndefined();
    expect(environment.version).toBe(2);
  });

  it("AF-10 AF-13 reads and changes a section by its fields", () => {
    const environment = createEnvironment();
    environment.update("task", { status: "in_progress", currentStep: "look", stepsTotal: 2 });
    expect(environment.state.task).toMatchObject({ status: "in_progress", currentStep: "look", stepsTotal: 2 });
    environment.update("task", { currentStep: undefined, status: "completed" });
    expect(environment.state.task).not.toHaveProperty("currentStep");
    expect(environment.version).toBe(2);
  });

  it.each<[string, (environment: Environment) => void]>([
    ["a status that is none", (e) => e.set("/task/status", "bogus")],
    ["a field that a section does not have", (e) => e.set("/system/colour", "red")],
    ["facts that are not text", (e) => e.apply([{ op: "append", path: "/knowledge/discoveredFacts", value: 1 }], "x")],
    ["a patch list of which one is bad", (e) => e.apply([set("/extensions/ok", 1), set("/task/stepsTotal", -1)], "x")],
    ["a state without its sections", (e) => e.set("", {})],
    ["a value the host's schema forbids", (e) => e.setExtension("level", 11)],
    ["a pointer that leads nowhere", (e) => e.set("/knowledge/discoveredFacts/7", "x")],
  ])("AF-3 refuses %s and changes nothing", (_, act) => {
    const schema = { properties: { extensions: { properties: { level: { type: "integer", maximum: 10 } } } } };
    const environment = createEnvironment({ initial: { extensions: { level: 3 } }, schema });
    const before = JSON.stringify(environment);
    expect(() => act(environment)).toThrowError(expect.objectContaining({ kind: "invalid" }));
    expect(JSON.stringify(environment)).toBe(before);
    expect(environment.changesSince(0)).toEqual([]);
  });

  it("AF-3 refuses a beginning that does not fit the schema", () => {
    const schema = { properties: { task: { properties: { objective: { minLength: 1 } } } } };
    expect(() => createEnvironment({ schema })).toThrowError(expect.objectContaining({ code: "env_invalid" }));
  });

  it("AF-14 AF-40 keeps a typed extension through a round trip", () => {
    interface CodeDesign {
      readonly modules: readonly { readonly name: string; readonly lines: number }[];
    }
    const design: CodeDesign = { modules: [{ name: "core", lines: 120 }] };
    const environment = createEnvironment();
    environment.setExtension("code/design", design as unknown as Json);
    const again = environmentFromJson(JSON.parse(JSON.stringify(environment)) as Json);
    expect(again.getExtension<CodeDesign>("code/design")).toEqual(design);
  });

  it("AF-17 gives state and version back after JSON", () => {
    const environment = createEnvironment({ initial: { workspace: { artifacts: [{ id: "a" }] } } });
    environment.set("/task/objective", "x");
    const again = environmentFromJson(JSON.parse(JSON.stringify(environment)) as Json);
    expect(again.toJSON()).toEqual(environment.toJSON());
    expect(() => environmentFromJson({ state: {} })).toThrowError(expect.objectContaining({ code: "env_invalid" }));
  });

  it("is not changed by what its callers do with their objects", () => {
    const list = [{ name: "one" }];
    const environment = createEnvironment();
    environment.set("/workspace/artifacts", list);
    list.push({ name: "two" });
    expect(environment.get("/workspace/artifacts")).toEqual([{ name: "one" }]);
    expect(() => (environment.get<Json[]>("/workspace/artifacts") ?? []).push(1)).toThrow(TypeError);
  });

  it("AF-16 is built step by step", () => {
    const environment = createEnvironmentBuilder()
      .system({ workingDirectory: "/srv", permissions: ["read"] })
      .task({ objective: "tidy" })
      .task({ stepsTotal: 4 })
      .knowledge({ keyConcepts: ["order"], season: "spring" })
      .workspace({ files: { "a.md": { bytes: 3 } } })
      .extension("plan", [1])
      .schema({ properties: { extensions: { required: ["plan"] } } })
      .reducer("weigh", () => [set("/extensions/weight", 7)])
      .counter(createWordCounter())
      .build();
    environment.updateFromToolResult("weigh", textResult("weigh", "7 kg"));
    expect(environment.state.task).toMatchObject({ objective: "tidy", stepsTotal: 4 });
    expect(environment.state.knowledge).toMatchObject({ keyConcepts: ["order"], season: "spring" });
    expect(environment.state.extensions).toEqual({ plan: [1], weight: 7 });
    expect(() => environment.apply([{ op: "remove", path: "/extensions/plan" }], "x")).toThrow();
  });
});

describe("updateFromToolResult", () => {
  it.each<[string, string, readonly string[]]>([
    [
      "a tree",
      '{"name":"src","children":[{"name":"a.ts","size":3},{"name":"lib","children":["b.ts"]}]}',
      ["src", "src/a.ts", "src/lib", "src/lib/b.ts"],
    ],
    ["a list", '["x.md","y.md"]', ["x.md", "y.md"]],
    ["lines", "├── x.md\n└── y.md\n", ["x.md", "y.md"]],
  ])("AF-5 AF-15 brings directory_tree as %s into the workspace", (_, text, names) => {
    const environment = createEnvironment();
    const patches = environment.updateFromToolResult("directory_tree", textResult("directory_tree", text));
    expect(Object.keys(environment.state.workspace.files)).toEqual(names);
    expect(patches).toHaveLength(1);
  });

  it("AF-15 brings search into knowledge, each fact once", () => {
    const environment = createEnvironment();
    const hits = JSON.stringify({ results: [{ title: "Doors", url: "http://d", snippet: "Doors open." }] });
    environment.updateFromToolResult("search", textResult("search", hits));
    environment.updateFromToolResult("search", textResult("search", "Doors open.\nDoors close."));
    expect(environment.state.knowledge.discoveredFacts).toEqual(["Doors open.", "Doors close."]);
    expect(environment.state.knowledge.sources).toEqual({ Doors: "http://d" });
  });

  it("AF-15 AF-41 brings an unknown tool into knowledge under its name, bounded", () => {
    const environment = createEnvironment();
    environment.updateFromToolResult("read_csv", textResult("read_csv", '{"rows":2}'));
    environment.updateFromToolResult("sources", textResult("sources", "x".repeat(9000)));
    expect(environment.get("/knowledge/read_csv")).toEqual({ rows: 2 });
    expect(environment.get<string>("/knowledge/sources_result")).toHaveLength(2004);
    expect(environment.state.knowledge.sources).toEqual({});
  });

  it("AF-5 learns nothing from a failure", () => {
    const environment = createEnvironment();
    expect(environment.updateFromToolResult("search", textResult("search", "lies", "error"))).toEqual([]);
    expect(environment.version).toBe(0);
  });

  it("AF-15 takes the reducer registered last", () => {
    const reducers = createReducerRegistry();
    reducers.register("search", () => [set("/extensions/searched", true)]);
    const environment = createEnvironment({ reducers });
    environment.updateFromToolResult("search", textResult("search", "words"));
    expect(environment.state.extensions).toEqual({ searched: true });
    expect(environment.state.knowledge.discoveredFacts).toEqual([]);
  });
});

describe("toContext", () => {
  it("AF-7 writes a snapshot with what is not empty, the task first", () => {
    const environment = createEnvironment({
      initial: { task: { objective: "count" }, knowledge: { discoveredFacts: ["a", "b"] } },
    });
    expect(environment.toContext(500)).toEqual({
      kind: "snapshot",
      text: [
        "env v0",
        '/task/objective: "count"',
        '/task/status: "not_started"',
        '/knowledge/discoveredFacts/1: "b"',
        '/knowledge/discoveredFacts/0: "a"',
      ].join("\n"),
      dropped: [],
    });
  });

  it("AF-4 AF-7 stays within its tokens and says what it left out", () => {
    const facts = Array.from({ length: 40 }, (_, index) => `fact number ${index}`);
    const environment = createEnvironment({ initial: { knowledge: { discoveredFacts: facts } } });
    const note = environment.toContext(150);
    expect(createCharCounter().text(note.text)).toBeLessThanOrEqual(150);
    expect(note.text).toContain("fact number 39");
    expect(note.text).not.toContain("fact number 0\n");
    expect(note.dropped).toContain("/knowledge/discoveredFacts/0");
    expect(note.text).toMatch(/\[no room for: .* and \d+ more\]$/);
  });

  it("AF-4 never exceeds the limit, whatever the state, limit and counter", () => {
    const counters = [createCharCounter(), createWordCounter(), createCharCounter({ charsPerToken: 1 })];
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.string({ maxLength: 60 }), { maxKeys: 12 }),
        fc.nat(120),
        fc.constantFrom(...counters),
        (extensions, limit, counter) => {
          const environment = createEnvironment({ initial: { extensions }, counter });
          expect(counter.text(environment.toContext(limit).text)).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 50, seed: 3 },
    );
  });

  it("writes what changed since a version, the last word of each place", () => {
    const facts = Array.from({ length: 20 }, (_, index) => `fact ${index}`);
    const environment = createEnvironment({ initial: { knowledge: { discoveredFacts: facts } } });
    environment.set("/task/stepsCompleted", 1);
    environment.set("/task/stepsCompleted", 2);
    environment.apply([{ op: "append", path: "/knowledge/discoveredFacts", value: "new" }], "x");
    environment.apply([{ op: "remove", path: "/knowledge/gone" }], "x");
    expect(environment.toContext(500, 0)).toEqual({
      kind: "diff",
      text: 'env v0 → v4\n/task/stepsCompleted: 2\n/knowledge/discoveredFacts += "new"\n/knowledge/gone: removed',
      dropped: [],
    });
    expect(environment.toContext(500, 4)).toEqual({ kind: "diff", text: "", dropped: [] });
  });

  it("writes a snapshot where the diff is longer or its beginning is forgotten", () => {
    const environment = createEnvironment();
    for (let step = 0; step < 9; step++) {
      environment.apply([{ op: "append", path: "/extensions/log", value: `entry ${step}` }], "x");
    }
    environment.apply([{ op: "remove", path: "/extensions/log" }], "x");
    expect(environment.toContext(500, 0).kind).toBe("snapshot");
    const again = environmentFromJson(environment.toJSON());
    again.set("/extensions/more", 1);
    expect(again.toContext(500, 3).kind).toBe("snapshot");
    expect(again.toContext(500, 10).kind).toBe("diff");
  });
});

describe("replayEnvironment", () => {
  it("invariant 8: patches replayed from the transcript rebuild the same state and version", () => {
    const name = fc.constantFrom("a", "b", "c");
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant<Json>({ deep: [1] }));
    const patch = fc.oneof(
      fc.record({ op: fc.constant("set" as const), path: name.map((n) => `/extensions/${n}`), value }),
      fc.record({ op: fc.constant("append" as const), path: name.map((n) => `/workspace/${n}/list`), value }),
      fc.record({ op: fc.constant("remove" as const), path: name.map((n) => `/extensions/${n}`) }),
      fc.record({
        op: fc.constant("set" as const),
        path: fc.constant("/task/status"),
        value: fc.constantFrom("failed", "bogus"),
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.array(patch, { maxLength: 4 }), { maxLength: 12 }), (batches) => {
        const initial = { task: { objective: "x" } };
        const environment = createEnvironment({ initial });
        const lines: TranscriptEntry[] = [];
        for (const patches of batches) {
          const before = environment.version;
          try {
            environment.apply(patches, "step");
          } catch {
            expect(environment.version).toBe(before);
          }
          lines.push(...toLines(environment, before));
        }
        const again = replayEnvironment(lines, { initial });
        expect(again.toJSON()).toEqual(environment.toJSON());
        expect(again.changesSince(0)).toEqual(environment.changesSince(0));
        expect(again.toContext(300, 0)).toEqual(environment.toContext(300, 0));
      }),
      { numRuns: 50, seed: 8 },
    );
  });

  it("begins from a line that holds the whole state, whatever the host begins with now", () => {
    const first = createEnvironment({ initial: { extensions: { rooms: ["hall"] } } });
    const whole: EnvPatch = { op: "set", path: "", value: first.state as unknown as Json };
    const lines = [envLine(1, [whole]), envLine(2, [{ op: "append", path: "/extensions/rooms", value: "attic" }])];
    const again = replayEnvironment(lines, { initial: { extensions: {} } });
    expect(again.getExtension("rooms")).toEqual(["hall", "attic"]);
    expect(again.version).toBe(2);
  });
});

function toLines(environment: Environment, since: number): readonly TranscriptEntry[] {
  return (environment.changesSince(since) ?? []).map((change) => envLine(change.version, change.patches));
}

function envLine(version: number, patches: readonly EnvPatch[]): TranscriptEntry {
  return { v: 1, id: `l${version}`, ts: "2026-01-01T00:00:00.000Z", type: "env", version, patches, cause: "step" };
}

function set(path: string, value: Json): EnvPatch {
  return { op: "set", path, value };
}

function textResult(toolName: string, text: string, outcome: ToolOutcome = "ok"): ToolResultPart {
  return { type: "tool_result", callId: "c", toolName, outcome, content: [{ type: "text", text }] };
}
