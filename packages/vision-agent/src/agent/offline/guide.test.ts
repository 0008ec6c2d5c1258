import { readFileSync } from "node:fs";
import type { CameraPlace } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { SPEC } from "../../testing/fake-app.ts";
import { countingStatus, createOfflineApp, fakeEvent, type OfflineApp } from "../../testing/fake-offline-app.ts";

/** What each row of the guide's table promises, by its first cell: the calls that are made, and words of the answer. */
const PROMISES: Readonly<Record<string, { readonly calls: readonly string[]; readonly says: RegExp }>> = {
  "to know what is there": { calls: ["capture_frame"], says: /I see|on street/ },
  "to look at a picture": { calls: ["ask_about_image|detect_zero_shot"], says: /ANTHROPIC_API_KEY/ },
  "to count who crosses": {
    calls: ["list_pipelines", "capture_frame", "start_pipeline"],
    says: /^I am counting .* as \S+ \(pl_\d+\)/,
  },
  "the figures": { calls: ["get_pipeline_results|capture_frame"], says: /crossed the line|at this moment/ },
  "to be told": { calls: ["create_watch"], says: /^I will tell you when / },
  "to be told where": { calls: ["create_watch"], says: /enters|crosses/ },
  "to be told of a place with a name": { calls: ["create_watch"], says: /the loading zone on warehouse/ },
  "to be told on certain days, for a while, or when nobody is home": {
    calls: ["create_watch"],
    says: /on weekdays|it ends at|in the mode away/,
  },
  "to be told of two things together": { calls: ["create_watch"], says: /near a car|together/ },
  "to take it back, or try it out": { calls: ["undo|test_watch|preview_watch"], says: /undo|test|I cannot say/i },
  "another name for a camera": { calls: ["save_camera"], says: /is called front now/ },
  "a name for a place": { calls: ["save_place"], says: /is called driveway now/ },
  "to be told of one thing after another": { calls: ["create_watch"], says: /, then within (?:30|10) seconds / },
  "quiet for a while": { calls: ["list_watches", "mute_watch"], says: /^Muted / },
  "to say who is at home": { calls: ["set_mode"], says: /^The mode is / },
  "to be told how long or how many": { calls: ["create_watch"], says: /stays longer than|at least|has been seen for/ },
  "to be told at certain hours, and not too often": { calls: ["create_watch"], says: /between \d\d:\d\d|at most once/ },
  "several things at once": { calls: ["create_watch|start_pipeline", "create_watch|start_pipeline"], says: /\n/ },
  "to change it (after it was made)": {
    calls: ["create_watch"],
    says: /^Changed: .* It takes the place of the one before\./,
  },
  "to know what happened": { calls: ["search_events"], says: /today|yesterday|last|so far/i },
  "to know what it did": {
    calls: ["list_changes"],
    says: /^(?:\d+ changes?|I changed nothing) (?:today|yesterday|in the last)/,
  },
  "to know why": { calls: ["list_watches", "list_alerts"], says: /watch/ },
  "to add a camera": { calls: ["save_camera"], says: /^Added garden / },
  "to see what runs": { calls: ["list_pipelines|list_watches|list_tasks"], says: /pipeline|watch|task/i },
  "to pause, and go on": {
    calls: ["list_pipelines", "list_watches", "pause_pipeline|resume_pipeline"],
    says: /^(Paused|Resumed) /,
  },
  "to end it": { calls: ["list_pipelines", "list_watches", "stop_pipeline|remove_watch"], says: /^(Stopped|Removed) / },
  "it to remember": { calls: ["remember"], says: /^I will remember: / },
  "to know what it remembers": { calls: ["recall"], says: /know|memory/ },
  "a report": { calls: ["schedule_task"], says: /Next: / },
  "to be told by my own model": { calls: ["create_watch"], says: /^I will tell you when a no-vest appears on/ },
  "my own model or workflow": { calls: ["start_pipeline"], says: /runs on street now/ },
  "to build a workflow": { calls: ["list_workflow_blocks|get_block_details"], says: /roboflow_core/ },
};

const GUIDE = readFileSync(new URL("../../../../../docs/guide.md", import.meta.url), "utf8");

interface Row {
  readonly want: string;
  readonly phrases: readonly string[];
}

function rowsOf(markdown: string): readonly Row[] {
  const table = /\| I want … \| say … \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/.exec(markdown)?.[1] ?? "";
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [want = "", say = ""] = line
        .slice(1, -1)
        .split(" | ")
        .map((cell) => cell.trim());
      return { want, phrases: say.split(" · ") };
    });
}

const ROWS = rowsOf(GUIDE);

const LOADING_ZONE: CameraPlace = {
  name: "loading zone",
  kind: "zone",
  points: [
    [0.5, 0.5],
    [0.8, 0.5],
    [0.8, 0.9],
  ],
};

/** An app in which something counts and something is watched, where the row needs it. */
async function appFor(want: string): Promise<OfflineApp> {
  const running = /figures|what runs|pause|end it/.test(want) ? [countingStatus()] : [];
  const events = [fakeEvent({ at: "14:05" }), fakeEvent({ at: "2026-03-09T20:00:00.000Z" })];
  const app = createOfflineApp({
    cameras: ["street", "warehouse"],
    running,
    events,
    saved: { "acme/inventory-count": SPEC },
    places: { warehouse: [LOADING_ZONE] },
  });
  if (/change it/.test(want)) await app.ask("Tell me when a person or a dog stays longer than 30 seconds on street");
  if (/quiet/.test(want)) await app.ask("Tell me when a person appears on street");
  if (/why|end it|quiet|try it out/.test(want)) await app.ask("Tell me when a person appears on warehouse");
  return app;
}

describe("the guide's table of what to say", () => {
  it("has a test for each row", () => {
    expect(ROWS.map(({ want }) => want).toSorted()).toEqual(Object.keys(PROMISES).toSorted());
  });

  it.each(ROWS.flatMap(({ want, phrases }) => phrases.map((phrase) => [want, phrase] as const)))(
    "I want %s → say %j",
    async (want, phrase) => {
      const promise = PROMISES[want];
      const app = await appFor(want);
      const before = app.calls.length;
      const answer = await app.ask(phrase, { withPicture: /picture/.test(want) });
      const made = app.tools().slice(before);
      expect(answer).toMatch(promise?.says ?? /^$/);
      for (const tool of promise?.calls ?? []) expect(made.join(" ")).toMatch(new RegExp(`\\b(?:${tool})\\b`));
    },
  );
});
