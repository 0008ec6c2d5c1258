import { alertSchema, sceneEventSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { parseNotes } from "../memory/note-text.ts";
import { createActiveState } from "../pipelines/active-state.ts";
import { createMemoryFiles, type MemoryFiles } from "../testing/memory-files.ts";
import { storedWatchSchema } from "../watches/camera-assignments.ts";
import { openModes, storedModeSchema } from "../watches/open-modes.ts";
import { createCameraRegistry } from "../workspace/camera-registry.ts";
import { parseInstructionFile } from "./load-eval-set.ts";
import { prepareApp } from "./prepare-app.ts";

const NOW = Date.UTC(2026, 4, 10, 12);

describe("prepareApp", () => {
  it("writes cameras that the registry reads", async () => {
    const { text } = await createDefaultFiles(
      "cameras: { gate: sim://street, hall: { source: sim://warehouse, location: inside, notes: dark } }",
    );
    const { list, warnings } = createCameraRegistry({ markdown: text("CAMERAS.md"), extra: [] });
    expect(warnings).toEqual([]);
    expect(list()).toMatchObject([
      { name: "gate", address: "sim://street" },
      { name: "hall", address: "sim://warehouse", location: "inside", notes: "dark" },
    ]);
  });

  it("writes pipelines and watches that an app restores, and names their ids", async () => {
    const { files, prepared } = await createDefaultFiles(`
  cameras: { gate: sim://street }
  pipelines:
    - { name: gate-count, camera: gate, counts: { classes: [car], line: [[0, 1], [2, 3]] }, max_fps: 2, paused: true }
    - { name: gate-people, camera: gate, follows: [person] }
  watches:
    - { words: w, cameras: [gate], classes: [dog], condition: { kind: stays, seconds: 9 } }
    - { words: off, cameras: [gate], classes: [], condition: { kind: appears }, enabled: false }`);
    const state = createActiveState({ files, path: "/w/active_state.json", now: () => NOW });
    const { pipelines, problem } = await state.load();
    expect(problem).toBeUndefined();
    expect(pipelines).toMatchObject([
      { name: "gate-count", max_fps: 2, paused: true, spec: { steps: [{ class_filter: ["car"] }, {}, {}, {}] } },
      { name: "gate-people", paused: false, spec: { steps: [{ class_filter: ["person"] }, {}, {}] } },
      { video_reference: "gate", spec: { steps: [{ model_id: "sim/truth" }, {}, {}] } },
    ]);
    const watches = await state.section("watches", storedWatchSchema).load();
    expect(watches).toMatchObject([
      { watch: { classes: ["dog"], enabled: true, cooldown_seconds: 30 }, pipeline_ids: { gate: pipelines[2]?.id } },
      { watch: { words: "off", enabled: false }, pipeline_ids: {} },
    ]);
    expect(prepared.pipelineIds).toEqual(new Set(pipelines.map(({ id }) => id)));
    expect(prepared.watchIds).toEqual(new Set(watches.map(({ watch }) => watch.id)));
  });

  it("writes events day by day, oldest first, as often as asked", async () => {
    const { text } = await createDefaultFiles(`
  cameras: {}
  events:
    - { at: -30m, kind: left, camera: gate, class: car }
    - { at: "2026-05-09T23:59:30Z", kind: appeared, camera: gate, class: person, times: 2, text: Here. }`);
    const read = (day: string) =>
      text(`events/${day}.jsonl`)
        .trim()
        .split("\n")
        .map((line) => sceneEventSchema.parse(JSON.parse(line)));
    expect(read("2026-05-09")).toMatchObject([
      { kind: "appeared", text: "Here.", timestamp: "2026-05-09T23:59:30.000Z" },
    ]);
    expect(read("2026-05-10")).toMatchObject([
      { class_name: "person", timestamp: "2026-05-10T00:00:30.000Z" },
      { text: "car left on gate." },
    ]);
  });

  it("writes notes where memory looks for them, after what a person wrote", async () => {
    const { text } = await createDefaultFiles(`
  cameras: {}
  files: { USER.md: "# About you\\n\\nI am Kim.\\n" }
  memory:
    - { text: Short answers., category: preference }
    - { text: The door is blue., camera: gate, at: -2d }
    - { text: Two vans came., category: observation, camera: gate, at: "2026-05-09T10:20:00Z" }`);
    const note = (path: string) =>
      parseNotes(path, text(path)).map(({ text: words, camera, category }) => ({ words, camera, category }));
    expect(text("USER.md")).toContain("I am Kim.");
    expect(note("USER.md")).toEqual([{ words: "Short answers.", camera: undefined, category: "preference" }]);
    expect(note("memory/KNOWLEDGE.md")).toEqual([
      { words: "The door is blue.", camera: "gate", category: "knowledge" },
    ]);
    expect(note("memory/2026-05-09.md")).toEqual([
      { words: "Two vans came.", camera: "gate", category: "observation" },
    ]);
  });

  it("writes alerts that an app lists, oldest first, with the watch that asked for them", async () => {
    const { text, prepared } = await createDefaultFiles(`
  cameras: { gate: sim://street }
  watches: [{ words: w, cameras: [gate], classes: [], condition: { kind: appears } }]
  alerts:
    - { at: -1m, camera: gate, text: A person appeared on gate., watch: 1 }
    - { at: -2h, text: The disk is nearly full., severity: warning }`);
    const alerts = text("events/alerts.jsonl")
      .trim()
      .split("\n")
      .map((line) => alertSchema.parse(JSON.parse(line)));
    expect(alerts).toMatchObject([
      { severity: "warning", camera: "", timestamp: "2026-05-10T10:00:00.000Z" },
      { severity: "info", camera: "gate", watch_id: [...prepared.watchIds][0] },
    ]);
    expect(prepared.alertIds).toEqual(new Set(alerts.map(({ id }) => id)));
  });

  it("is in the mode that is named", async () => {
    const { files } = await createDefaultFiles("cameras: {}\n  mode: away");
    const path = "/w/active_state.json";
    const state = createActiveState({ files, path, now: () => NOW });
    const store = state.section("mode", storedModeSchema);
    const modes = await openModes({ store, clock: { now: () => NOW }, timeZone: "UTC", keepDays: 14 });
    expect(modes.current()).toMatchObject({ mode: "away", set_by: "person" });
  });

  it("keeps copies of saved workflows", async () => {
    const spec = '{ version: "1.0", inputs: [], steps: [], outputs: [] }';
    const { text } = await createDefaultFiles(`\n  cameras: {}\n  saved_workflows: { acme/check: ${spec} }`);
    expect(JSON.parse(text("workflows/acme/check.json"))).toMatchObject({
      specification: { version: "1.0", steps: [] },
    });
  });

  it("lays the instruction's own configuration over that of the run", async () => {
    const { text } = await createDefaultFiles(
      "cameras: {}\n  config: { inference: { backend: http }, events: { keep_days: 3 } }",
    );
    expect(JSON.parse(text("config.yaml"))).toEqual({
      demo: false,
      inference: { backend: "http", api_key: "x" },
      events: { keep_days: 3 },
    });
  });
});

async function createDefaultFiles(appText: string) {
  const indented = appText.startsWith("\n") ? appText : `\n  ${appText}`;
  const { house } = parseInstructionFile("/set/a/b.yaml", `say: a\nhouse:${indented}\nexpect: { watches: [] }\n`);
  const files: MemoryFiles = createMemoryFiles();
  const prepared = await prepareApp(house, {
    files,
    folder: "/w",
    config: { demo: false, inference: { backend: "direct", api_key: "x" } },
    nowMs: NOW,
    timeZone: "UTC",
  });
  return { files, prepared, text: (path: string) => files.contents.get(`/w/${path}`) ?? "" };
}
