import { createFakeClock } from "@vision-agent/agent-core/testing";
import { type Alert, alertSchema, type SceneEvent } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { AlertMessage } from "../alerts/route-alert.ts";
import type { EventFilter } from "../store/event-index.ts";
import { createFakeMemory } from "../testing/create-fake-memory.ts";
import { fakeCameras, fakeContext, JPEG, textOf } from "../testing/fake-app.ts";
import { createMemoryEvents } from "../testing/memory-events.ts";
import { forgetNoteTool, loadSkillTool, recallTool, rememberTool } from "./memory-tools.ts";
import { searchEventsTool } from "./search-events.ts";
import { sendAlertTool } from "./send-alert.ts";

const cameras = fakeCameras("dock", "street");
const context = fakeContext;

describe("remember and recall", () => {
  const memory = () => createFakeMemory({ now: () => Date.parse("2026-01-02T14:05:00Z") });

  it("S000-5.1.11 S000-5.1.12 S000-9.15 keeps a note with its camera and finds it again with where it stands", async () => {
    const kept = memory();
    const note = { content: "The blue van comes at two.", category: "observation", camera_id: "DOCK" } as const;
    const place = textOf(await rememberTool({ memory: kept, cameras }).execute(note, context()));
    expect(place).toMatch(/^Remembered as observation \(.+:1\)\.$/);
    const found = textOf(await recallTool(kept).execute({ query: "blue van" }, context()));
    expect(found).toMatch(/^- 2026-01-02 14:05 \[dock\] The blue van comes at two\. \(.+:1\)$/m);
    expect(found).toContain("Searched by words only");
  });

  it("searches within a camera and days", async () => {
    const kept = memory();
    const tool = rememberTool({ memory: kept, cameras });
    for (const camera_id of ["dock", "street"]) {
      await tool.execute({ content: `A van at the ${camera_id}.`, category: "observation", camera_id }, context());
    }
    const recall = recallTool(kept);
    expect(textOf(await recall.execute({ query: "van", camera_id: "street" }, context()))).not.toContain("dock");
    expect(textOf(await recall.execute({ query: "van", to: "2025-12-31" }, context()))).toContain("No matching notes.");
    expect(textOf(await recall.execute({ query: "van", max_results: 1 }, context())).match(/^- /gm)).toHaveLength(1);
  });

  it("says which cameras there are", async () => {
    const note = { content: "x", category: "knowledge", camera_id: "yard" } as const;
    await expect(rememberTool({ memory: memory(), cameras }).execute(note, context())).rejects.toThrow(
      "Cameras: dock, street.",
    );
  });
});

describe("forget_note", () => {
  const kept = async (...contents: readonly string[]) => {
    const memory = createFakeMemory({ now: () => Date.parse("2026-01-02T14:05:00Z") });
    for (const content of contents) await memory.store({ content, category: "knowledge" });
    return { memory, tool: forgetNoteTool(memory) };
  };

  it("removes the one note that says so, after a yes on every level, and shows what it was", async () => {
    const { memory, tool } = await kept("The gate is on the left.", "Bins go out on Monday.");
    expect(await tool.gradeOf({ note: "bins go out" }, context())).toMatchObject({
      always: true,
      question: expect.stringContaining("Bins go out on Monday."),
    });
    const { data, text } = await tool.execute({ note: "bins go out" }, context());
    expect(text).toContain("Bins go out on Monday.");
    expect(data).toMatchObject({
      note: { text: "Bins go out on Monday.", category: "knowledge" },
      effects: [{ kind: "removed", what: "note" }],
    });
    expect(memory.notes.map(({ text: left }) => left)).toEqual(["The gate is on the left."]);
  });

  it("takes the place that recall gives", async () => {
    const { memory, tool } = await kept("One.", "Two.");
    await tool.execute({ note: "memory/KNOWLEDGE.md:2" }, context());
    expect(memory.notes.map(({ text }) => text)).toEqual(["One."]);
    await expect(tool.execute({ note: "memory/KNOWLEDGE.md:9" }, context())).rejects.toThrow("No note begins at");
  });

  it("asks which one is meant when several say it or none does exactly, and removes nothing", async () => {
    const { memory, tool } = await kept("The van comes at two.", "The van is blue.");
    for (const [note, why] of [
      ["the van", /Several notes say that.*KNOWLEDGE\.md:1.*KNOWLEDGE\.md:2/s],
      ["a blue van", /No note says exactly that; the nearest/],
      ["elephants", /No note says that/],
    ] as const) {
      await expect(tool.execute({ note }, context())).rejects.toThrow(why);
      const { refusal } = await tool.gradeOf({ note }, context());
      expect(await refusal?.()).toMatch(why);
    }
    expect(memory.notes).toHaveLength(2);
  });
});

describe("load_skill", () => {
  const skill = { name: "ppe-compliance", description: "Hard hats.", models: [], body: "Use hard-hat/3." };
  const tool = loadSkillTool({
    list: async () => [skill],
    load: async (name) => (name === skill.name ? skill : undefined),
  });

  it("S000-4.3.3 gives the whole instructions", async () => {
    expect(textOf(await tool.execute({ name: "ppe-compliance" }, context()))).toBe(
      "# ppe-compliance\nHard hats.\n\nUse hard-hat/3.",
    );
  });

  it("names the one that was probably meant", async () => {
    await expect(tool.execute({ name: "ppe-complience" }, context())).rejects.toThrow('Did you mean "ppe-compliance"?');
    await expect(tool.execute({ name: "zzz" }, context())).rejects.toThrow("Skills: ppe-compliance.");
  });
});

describe("search_events", () => {
  const event = (over: Partial<SceneEvent>): SceneEvent => ({
    id: "ev",
    kind: "appeared",
    timestamp: "2026-01-02T14:05:00.000Z",
    camera: "dock",
    pipeline_id: "pl_1",
    frame_number: 1,
    class_name: "person",
    text: "A person appeared.",
    ...over,
  });
  const toolWith = (given: readonly SceneEvent[]) => {
    const asked: (EventFilter | undefined)[] = [];
    const log = createMemoryEvents(
      given.map((one, at) => ({ ...one, id: `ev_${at}` })),
      "Europe/Berlin",
    );
    const list = (filter?: EventFilter) => {
      asked.push(filter);
      return log.list(filter);
    };
    return { asked, tool: searchEventsTool({ timeZone: "Europe/Berlin", events: { ...log, list }, cameras }) };
  };

  it("counts all of them in groups, by one or two", async () => {
    const { tool } = toolWith(Array.from({ length: 1500 }, (_, at) => event({ camera: at < 10 ? "street" : "dock" })));
    const result = await tool.execute({ group_by: ["day", "camera"], max_results: 1 }, context());
    expect(textOf(result).split("\n").slice(0, 4)).toEqual([
      "1500 events: 1500 appeared person.",
      "By group:",
      "  2026-01-02, dock: 1490",
      "  2026-01-02, street: 10",
    ]);
  });

  it("goes through all of them page by page", async () => {
    const { tool } = toolWith(Array.from({ length: 5 }, (_, at) => event({ text: `Event ${at}.` })));
    const first = textOf(await tool.execute({ order: "oldest", max_results: 3 }, context()));
    expect(first).toContain("There are more; go on with cursor ev_2.");
    const rest = textOf(await tool.execute({ order: "oldest", max_results: 3, cursor: "ev_2" }, context()));
    expect(rest).toMatch(/^5 events.*\n.*Event 3\.\n.*Event 4\.$/);
  });

  it("counts one direction of a line where one is named", async () => {
    const crossed = (direction: "in" | "out") => event({ kind: "line_crossed", direction });
    const { tool } = toolWith([crossed("in"), crossed("out"), crossed("in")]);
    const text = textOf(await tool.execute({ kind: "line_crossed", direction: "in" }, fakeContext()));
    expect(text).toMatch(/^2 events: 2 line_crossed person\./);
  });

  it("says how many crossings there were, and by how many", async () => {
    const crossed = (direction: "in" | "out", visit_id: string) => event({ kind: "line_crossed", direction, visit_id });
    const { tool } = toolWith([crossed("in", "v1"), crossed("out", "v1"), crossed("in", "v2")]);
    const text = textOf(await tool.execute({ kind: "line_crossed" }, fakeContext()));
    expect(text).toMatch(/^3 events: 3 crossings by 2 people\./);
  });

  it("begins with how often what happened, then the newest with their pictures", async () => {
    const many = Array.from({ length: 12 }, () => event({ picture: "art_1" }));
    const { tool } = toolWith([...many, event({ kind: "left", text: "It left." })]);
    const lines = textOf(await tool.execute({ max_results: 2 }, context())).split("\n");
    expect(lines[0]).toBe("13 events: 12 appeared person, 1 left person.");
    expect(lines[2]).toMatch(/^- 2026-01-02 \d\d:05:00 dock appeared: A person appeared\. \(picture art_1\)$/);
    expect(lines.at(-1)).toMatch(/^There are more; go on with cursor ev_\d+\.$/);
  });

  it("begins at the other end where the oldest are asked for", async () => {
    const { asked, tool } = toolWith([event({})]);
    await tool.execute({ order: "oldest" }, context());
    expect(asked).toEqual([{ limit: 11, order: "oldest" }]);
  });

  it("passes on camera, class, kind and times; a day begins at midnight of the time zone", async () => {
    const { asked, tool } = toolWith([]);
    const args = {
      camera: "DOCK",
      class_name: "car",
      kind: "left",
      from: "2026-01-02",
      to: "2026-01-02T18:00:00Z",
    } as const;
    expect(textOf(await tool.execute(args, context()))).toBe("No matching events.");
    expect(asked).toEqual([
      {
        limit: 11,
        order: "newest",
        camera: "dock",
        className: "car",
        kind: "left",
        from: "2026-01-01T23:00:00.000Z",
        to: "2026-01-02T18:00:00.000Z",
      },
    ]);
  });

  it("says how a time is written", async () => {
    await expect(toolWith([]).tool.execute({ from: "yesterday" }, context())).rejects.toThrow("write 2026-01-31");
  });
});

describe("send_alert", () => {
  const setUp = () => {
    const told: AlertMessage[] = [];
    const tell = async (message: AlertMessage) => {
      told.push(message);
      const alert: Alert = alertSchema.parse({
        ...message,
        id: "alert_1",
        camera: message.camera ?? "",
        timestamp: "2026-01-02T14:05:00.000Z",
        held_back: 0,
      });
      return { alert, failures: [{ channel: "mail", reason: "No server." }] };
    };
    return { told, tool: sendAlertTool({ alerts: { tell }, cameras, clock: createFakeClock() }) };
  };

  it("tells the person with camera and picture, and what did not get through", async () => {
    const { told, tool } = setUp();
    const args = { text: "The gate is open.", severity: "warning", camera: "Dock", picture: "art_1" } as const;
    const text = textOf(await tool.execute(args, context({ art_1: JPEG })));
    expect(told).toEqual([{ text: "The gate is open.", severity: "warning", camera: "dock", picture: "art_1" }]);
    expect(text).toBe("Sent as alert_1 (warning). Delivery through mail failed: No server.");
  });

  it("sends at most sixty within an hour", async () => {
    const { told, tool } = setUp();
    for (let n = 0; n < 60; n += 1) await tool.execute({ text: `x${n}` }, context());
    await expect(tool.execute({ text: "once more" }, context())).rejects.toThrow("60 alerts were sent within an hour");
    expect(told).toHaveLength(60);
  });

  it("sends no picture of one camera as another's", async () => {
    const { told, tool } = setUp();
    const given = context({ art_1: JPEG });
    const getArtifact: typeof given.getArtifact = async (id) => {
      const found = await given.getArtifact(id);
      return found && { ...found, ref: { ...found.ref, sources: ["camera:street"] } };
    };
    const as = (camera?: string) =>
      tool.execute({ text: "x", picture: "art_1", ...(camera && { camera }) }, { ...given, getArtifact });
    await expect(as("dock")).rejects.toThrow("The picture is of street, not of dock.");
    await as();
    expect(told).toMatchObject([{ camera: "street", picture: "art_1" }]);
  });

  it("sends nothing with a picture or camera that is not there", async () => {
    const { told, tool } = setUp();
    await expect(tool.execute({ text: "x", picture: "art_9" }, context())).rejects.toThrow("no picture art_9");
    await expect(tool.execute({ text: "x", camera: "yard" }, context())).rejects.toThrow("Cameras: dock, street.");
    expect(told).toEqual([]);
  });
});
