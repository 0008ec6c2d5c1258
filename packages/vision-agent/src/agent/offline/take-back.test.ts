import { describe, expect, it } from "vitest";
import { createOfflineApp } from "../../testing/fake-offline-app.ts";

/** The calls for the last sentence, without lists. */
async function callsFor(...turns: readonly string[]) {
  const { ask, calls } = createOfflineApp();
  let before = 0;
  let answer = "";
  for (const text of turns) {
    before = calls.length;
    answer = await ask(text);
  }
  const made = calls.slice(before).filter(({ tool }) => !tool.startsWith("list_"));
  return { answer, made: made.map(({ tool, args }) => [tool, args]) };
}

const WATCHES = ["Tell me when a person appears on yard", "Tell me when a dog appears on dock"] as const;

describe("taking back", () => {
  it.each(["undo", "undo that", "please undo the last change", "take that back"])("%s", async (text) => {
    expect((await callsFor(WATCHES[0], text)).made).toEqual([["undo", {}]]);
  });

  it("does again what was undone", async () => {
    expect((await callsFor("redo that")).made).toEqual([["undo", { redo: true }]]);
  });

  it.each(["restore yesterday's settings", "bring back the one I deleted", "as it was before please"])(
    "asks after %s",
    async (text) => {
      expect(await callsFor(WATCHES[0], text)).toMatchObject({
        answer: expect.stringMatching(/Should I undo/),
        made: [],
      });
    },
  );
});

describe("trying out", () => {
  it.each<[string, string]>([
    ["test it", "watch_2"],
    ["send me a test alert for the yard", "watch_1"],
    ["test the dog watch", "watch_2"],
  ])("%s", async (text, watch_id) => {
    expect((await callsFor(...WATCHES, text)).made).toEqual([["test_watch", { watch_id }]]);
  });

  it("asks which, and after words that only sound like it", async () => {
    expect((await callsFor(...WATCHES, "send me a test alert")).answer).toContain("Which watch do you mean?");
    expect(await callsFor(WATCHES[0], "pretend somebody is at the yard")).toMatchObject({
      answer: expect.stringMatching(/Should I send you a test alert/),
      made: [],
    });
  });

  it.each(["what would have happened yesterday?", "how often would it have fired yesterday?"])("%s", async (text) => {
    expect((await callsFor(WATCHES[0], text)).made).toEqual([
      [
        "preview_watch",
        { watch_id: "watch_1", changes: {}, from: "2026-03-09T00:00:00.000Z", to: "2026-03-10T00:00:00.000Z" },
      ],
    ]);
  });
});

describe("cameras that are renamed or go", () => {
  it.each([
    ["rename the yard camera to garden", [["save_camera", { name: "yard", new_name: "garden" }]]],
    ["remove the dock camera", [["remove_camera", { name: "dock" }]]],
    ["delete camera street", [["remove_camera", { name: "street" }]]],
    ["should I remove the dock camera?", []],
    ["remove the watch on the dock camera", []],
  ])("%s", async (text, made) => {
    expect((await callsFor(text)).made).toEqual(made);
  });

  it("tells that it is gone", async () => {
    expect((await callsFor("remove the dock camera")).answer).toMatch(/dock/);
  });
});
