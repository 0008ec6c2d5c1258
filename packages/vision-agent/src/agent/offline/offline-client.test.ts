import { describe, expect, it } from "vitest";
import { fakeStatus } from "../../testing/fake-app.ts";
import {
  callContext,
  countingStatus,
  createOfflineApp,
  fakeEvent,
  toRequest,
  userMessage,
} from "../../testing/fake-offline-app.ts";
import { OFFLINE_MODEL } from "./offline-client.ts";

const dockWatch = fakeStatus({ pipeline_id: "pl_9", name: "dock-view", video_reference: "dock" });

describe("looking and counting", () => {
  it("says what it sees with the right counts, and that the scene is simulated", async () => {
    expect(await createOfflineApp().ask("What do you see on street?")).toBe(
      "On street I see 3 people and 1 car. (Simulated: sim/truth reads the scene's script, no detector looked.)",
    );
  });

  it("answers a question about one thing with yes, no or the figure", async () => {
    const { ask } = createOfflineApp();
    expect(await ask("Is there a car on street?")).toMatch(/^Yes, 1 car\. On street I see/);
    expect(await ask("Are there any dogs on street?")).toMatch(/^No dogs on street at this moment\./);
    expect(await ask("How many people are on street?")).toMatch(/^3 people on street at this moment\./);
  });

  it("counts across the middle, in pixels of the camera's own frame", async () => {
    const { ask, pipelines, tools } = createOfflineApp();
    expect(await ask("count people crossing the middle of the street camera")).toMatch(
      /^I am counting people crossing a vertical line through the middle .* on street now, as street-person-count \(pl_1\)\./,
    );
    expect(tools()).toEqual(["list_pipelines", "capture_frame", "start_pipeline"]);
    const line = pipelines.started[0]?.spec.steps.find(({ type }) => type.includes("line_counter"));
    expect(line).toMatchObject({
      line_segment: [
        [640, 0],
        [640, 720],
      ],
    });
  });

  it("counts in a part of the picture", async () => {
    const { ask, pipelines } = createOfflineApp();
    expect(await ask("count cars in the left half of dock")).toContain("counting cars in the left half on dock now");
    expect(JSON.stringify(pipelines.started[0]?.spec)).toContain("[[0,0],[640,0],[640,720],[0,720]]");
  });

  it("does not start twice what runs already, and says how it stands", async () => {
    const { ask, pipelines } = createOfflineApp({ running: [countingStatus({ name: "street-person-count" })] });
    expect(await ask("count people on street")).toMatch(
      /^That runs already, as street-person-count\. .*6 crossed the line/,
    );
    expect(pipelines.started).toEqual([]);
  });

  it("gives the totals of what counts, and says so when nothing does", async () => {
    const counting = createOfflineApp({ running: [countingStatus()] });
    expect(await counting.ask("How many people crossed?")).toMatch(
      /^street-count: 6 crossed the line since it started \(.*\), 4 in and 2 out\. In view now: 3 people and 1 car\./,
    );
    expect(await createOfflineApp().ask("how many crossed on dock?")).toMatch(
      /^Nothing counts on dock at the moment\. Say "count/,
    );
  });

  it("tells the tool's reason when it fails", async () => {
    const { ask } = createOfflineApp({ broken: "street gives no picture: refused." });
    expect(await ask("what do you see on street?")).toBe("I could not look: street gives no picture: refused.");
    expect(await ask("count people on street")).toContain("I could not start that: street gives no picture");
  });
});

describe("telling when", () => {
  it("makes a watch and says what it waits for, with its id", async () => {
    const { ask, watches } = createOfflineApp();
    expect(
      await ask("Tell me when someone stays longer than 30 seconds in the left half of the yard, at most once an hour"),
    ).toMatch(
      /^I will tell you when a person stays longer than 30 seconds in the left half on yard, at most once in 1 hour\./,
    );
    expect(watches.list()).toMatchObject([
      { cameras: ["yard"], classes: ["person"], condition: { kind: "stays", seconds: 30 }, cooldown_seconds: 3600 },
    ]);
  });

  it("makes one for each clause with its own camera", async () => {
    const { ask, watches } = createOfflineApp();
    await ask("Tell me when a person appears on street and a car appears on dock");
    expect(watches.list().map(({ cameras, classes }) => [cameras, classes])).toEqual([
      [["street"], ["person"]],
      [["dock"], ["car"]],
    ]);
  });

  it("takes thing and camera of the clause before where the next names none", async () => {
    const { ask, watches } = createOfflineApp();
    await ask("Tell me when a truck comes to the dock and let me know if it leaves");
    expect(watches.list()).toMatchObject([
      { cameras: ["dock"], classes: ["truck"], condition: { kind: "appears" } },
      { cameras: ["dock"], classes: ["truck"], condition: { kind: "leaves" } },
    ]);
  });

  it("says which channel it does not have, and makes the watch", async () => {
    const { ask, watches } = createOfflineApp();
    expect(await ask("e-mail me when a dog appears on yard")).toContain(
      "I cannot send e-mail: the alert appears in the dashboard",
    );
    expect(watches.list()).toHaveLength(1);
  });

  it("takes a yes only where something waits for one", async () => {
    expect(await createOfflineApp().ask("yes")).toContain("nothing that waits for a yes");
  });
});

describe("asking back", () => {
  it("completes an instruction with the answer to its own question", async () => {
    const { ask, pipelines } = createOfflineApp();
    expect(await ask("count cars")).toBe("Which camera do you mean: street, dock, yard?");
    expect(await ask("the dock")).toContain("counting cars");
    expect(pipelines.started[0]?.videoReference).toBe("dock");
    expect(await ask("what do you see on garage?")).toContain('"garage"');
    expect(await ask("street")).toContain("On street I see");
  });

  it("S000-10.3.2 asks for a class that detectors know, and for the place of a zone", async () => {
    const { ask, watches } = createOfflineApp();
    expect(await ask("tell me when a unicorn appears on street")).toContain('"unicorn"');
    expect(await ask("horses then")).toContain("when a horse appears on street");
    expect(await ask("tell me when a person enters the loading zone on dock")).toContain('where "loading zone" lies');
    expect(await ask("the bottom left corner")).toContain("enters the bottom left corner on dock");
    expect(watches.list()).toHaveLength(2);
  });

  it("S000-10.3.1 proposes what could be used when only a video is spoken of", async () => {
    const { ask } = createOfflineApp();
    const answer = await ask("Watch this video for people.");
    expect(answer).toMatch(/Which video do you mean\?.*use the detector.*street, dock, yard\?$/);
    expect(await ask("clips/test.mp4")).toContain("I am watching clips/test.mp4 for people now");
  });

  it("takes no for an answer", async () => {
    const { ask, watches } = createOfflineApp();
    await ask("watch street for people on friday");
    expect(await ask("no")).toBe("All right, I leave it as it is.");
    expect(watches.list()).toEqual([]);
  });
});

describe("changing what was just made", () => {
  it.each<[string, object]>([
    ["only at night", { active_hours: { from: "22:00", to: "06:00" } }],
    ["Only between 8 pm and 7 am please", { active_hours: { from: "20:00", to: "07:00" } }],
    ["make it 10 seconds", { condition: { kind: "stays", seconds: 10 } }],
    ["on the yard camera instead", { cameras: ["yard"] }],
    ["no, I meant the yard", { cameras: ["yard"] }],
    ["also on the yard", { cameras: ["street", "yard"] }],
    ["not the dog", { classes: ["person"] }],
    ["too many alerts", { cooldown_seconds: 300 }],
    ["at most once an hour", { cooldown_seconds: 3600 }],
    ["only in the left half", { condition: { kind: "stays", zone: expect.any(Array) } }],
    ["and cats too", { classes: ["person", "dog", "cat"] }],
    ["make it critical", { severity: "critical" }],
    ["cars instead", { classes: ["car"] }],
  ])("%j gives a new watch in place of the old one", async (change, expected) => {
    const { ask, watches } = createOfflineApp();
    await ask("tell me when a person or a dog stays longer than 30 seconds on street");
    expect(await ask(change)).toMatch(/^Changed: I will tell you .* It takes the place of the one before\./);
    expect(watches.list()).toHaveLength(1);
    expect(watches.list()[0]).toMatchObject(expected);
  });

  it("changes the only watch of the app when this conversation made none", async () => {
    const { ask, watches } = createOfflineApp();
    const condition = { kind: "appears" as const };
    await watches.create({
      words: "tell me when a person appears on dock",
      cameras: ["dock"],
      classes: ["person"],
      condition,
      cooldown_seconds: 30,
      severity: "info",
    });
    expect(await ask("only at night")).toContain("It takes the place of the one before.");
    expect(watches.list()).toMatchObject([{ cameras: ["dock"], active_hours: { from: "22:00" } }]);
    expect(await createOfflineApp().ask("only at night")).toContain("There is nothing to change");
  });

  it("replaces the watch of the app after a yes, too", async () => {
    const { ask, watches } = createOfflineApp();
    await watches.create({
      words: "tell me when a person appears on dock",
      cameras: ["dock"],
      classes: ["person"],
      condition: { kind: "appears" },
      cooldown_seconds: 30,
      severity: "info",
    });
    expect(await ask("on friday at night")).toContain("Should I change it");
    expect(await ask("yes")).toContain("It takes the place of the one before.");
    expect(watches.list()).toMatchObject([{ cameras: ["dock"], active_hours: { from: "22:00" } }]);
  });

  it("changes a count by stopping the old one once the new one runs", async () => {
    const { ask, pipelines, tools } = createOfflineApp();
    await ask("count people crossing the middle of street");
    expect(await ask("no, cars")).toMatch(/^Changed: I am counting cars/);
    expect(pipelines.list().map(({ name }) => name)).toEqual(["street-car-count"]);
    expect(tools().slice(-2)).toEqual(["start_pipeline", "stop_pipeline"]);
  });

  it("leaves the old one when the new one cannot be made", async () => {
    const { ask, watches } = createOfflineApp();
    await ask("tell me when a person appears on street");
    expect(await ask("forklifts instead")).not.toContain("Changed");
    expect(watches.list()).toMatchObject([{ id: "watch_1", classes: ["person"] }]);
  });

  it("gives hours to the watch, not to the count that was made after it", async () => {
    const { ask, watches, pipelines } = createOfflineApp();
    await ask("tell me when a person appears on yard");
    await ask("count cars on dock");
    await ask("at most once an hour");
    expect(watches.list()).toMatchObject([{ id: "watch_2", cooldown_seconds: 3600 }]);
    expect(pipelines.list().map(({ name }) => name)).toContain("dock-car-count");
  });

  it("forgets what was stopped since", async () => {
    const { ask, watches } = createOfflineApp();
    await ask("tell me when a person appears on street");
    expect(await ask("stop it")).toContain("Removed watch_1");
    expect(await ask("only at night")).toContain("There is nothing to change");
    expect(watches.list()).toEqual([]);
  });
});

describe("stopping, pausing, listing", () => {
  it("lists what runs and what is watched", async () => {
    const { ask } = createOfflineApp({ running: [countingStatus()] });
    expect(await ask("What is running?")).toBe("1 pipeline:\n- street-count on street: running");
    expect(await createOfflineApp().ask("What is running?")).toBe("No pipeline is running.");
    expect(await ask("which cameras do you have?")).toBe("There are 3 cameras: street, dock and yard.");
    expect(await ask("list my watches")).toMatch(/^Nothing is watched\./);
  });

  it("stops everything and says what is left", async () => {
    const { ask, pipelines, watches } = createOfflineApp({ running: [countingStatus(), dockWatch] });
    await ask("tell me when a person appears on yard");
    expect(await ask("stop everything")).toMatch(
      /^Removed watch_1 \(.*\)\. Stopped street-count, dock-view and yard-watch\. No pipeline is running\.$/,
    );
    expect([pipelines.list(), watches.list()]).toEqual([[], []]);
  });

  it.each([
    ["stop street-count", "Stopped street-count. Still running: dock-view."],
    ["stop counting", "Stopped street-count. Still running: dock-view."],
    ["stop the dock camera", "Stopped dock-view. Still running: street-count."],
    ["pause street", "Paused street-count (pl_1)."],
  ])("%j means the one that is named and no other", async (text, answer) => {
    expect(await createOfflineApp({ running: [countingStatus(), dockWatch] }).ask(text)).toBe(answer);
  });

  it("says that others run when a watch takes its pipeline with it", async () => {
    const { ask } = createOfflineApp({ running: [dockWatch] });
    await ask("tell me when a person appears on street");
    expect(await ask("stop everything on street")).toMatch(
      /^Removed watch_1 .*Stopped street-watch\. Still running: dock-view\.$/,
    );
  });

  it("asks which one when the words fit none", async () => {
    const { ask, pipelines } = createOfflineApp({ running: [countingStatus(), dockWatch] });
    expect(await ask("stop it")).toContain("Running: street-count and dock-view.");
    expect(await ask("dock-view")).toContain("Stopped dock-view");
    expect(pipelines.list()).toHaveLength(1);
    expect(await createOfflineApp().ask("stop it")).toContain("nothing to stop");
  });

  it("pauses for a time with a task that resumes", async () => {
    const { ask, jobs, pipelines } = createOfflineApp({ running: [countingStatus()] });
    expect(await ask("pause street for 10 minutes")).toContain(
      "Paused street-count (pl_1). It goes on at 2026-03-10T15:41:00.000Z",
    );
    expect(jobs[0]?.taskConfig.instructions).toBe("resume street-count");
    expect(await ask("resume street-count")).toBe("Resumed street-count (pl_1).");
    expect(pipelines.list()[0]?.status).toBe("running");
  });
});

describe("the past, memory and tasks", () => {
  const events = [
    fakeEvent({ at: "14:05" }),
    fakeEvent({ at: "09:10", class_name: "car" }),
    fakeEvent({ at: "2026-03-09T22:30:00.000Z", camera: "yard" }),
    fakeEvent({ at: "13:00", kind: "condition_true", camera: "dock" }),
  ];

  it("counts and lists what happened with times", async () => {
    const { ask } = createOfflineApp({ events });
    expect(await ask("how many people came today?")).toMatch(/^1 person appeared today\./);
    expect(await ask("and yesterday?")).toMatch(/^1 person appeared yesterday\./);
    expect(await ask("what happened on street today?")).toContain("street: A person appeared on street.");
    expect(await ask("when was the last car on street?")).toMatch(/^The last was at 09:10 on street/);
    expect(await ask("did anyone come to the yard last night?")).toContain("1 person appeared");
    expect(await ask("were there any dogs today?")).toContain("no dogs on record");
  });

  it("keeps notes and finds them", async () => {
    const { ask, memory } = createOfflineApp();
    expect(await ask("Remember that the blue van belongs to Anna.")).toContain(
      'I will remember: "the blue van belongs to Anna."',
    );
    expect(memory.notes[0]).toMatchObject({ category: "knowledge" });
    expect(await ask("what do you know about the van?")).toContain("belongs to Anna");
  });

  it("schedules what it can read again, lists and cancels it", async () => {
    const { ask, jobs } = createOfflineApp();
    expect(await ask("Every morning at 8 tell me what happened")).toContain("every day at 08:00");
    expect(jobs[0]).toMatchObject({
      trigger: { type: "cron", expression: "0 8 * * *" },
      taskConfig: { instructions: "what happened in the last 24 hours" },
    });
    expect(await ask("which tasks are there?")).toContain("task_");
    expect(await ask("cancel the task")).toContain("Removed task_");
    expect(jobs).toEqual([]);
  });
});

describe("what it is", () => {
  it("streams its text in small pieces that make the whole", async () => {
    const { client } = createOfflineApp();
    const stream = client.stream(toRequest([userMessage("help")]), callContext("m1"));
    const pieces: string[] = [];
    for await (const delta of stream) if (delta.type === "text") pieces.push(delta.text);
    const { content, stopReason, usage } = await stream.result();
    expect(pieces.length).toBeGreaterThan(20);
    expect(pieces.join("")).toBe(content);
    expect(stopReason).toBe("complete");
    expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0, estimated: false });
  });

  it("serves no other model, and takes pictures to hand them on", async () => {
    const { client } = createOfflineApp();
    await expect(client.profile("claude")).rejects.toMatchObject({ kind: "invalid", code: "unknown_model" });
    await expect(client.run({ ...toRequest([]), model: "x" }, callContext("m"))).rejects.toMatchObject({
      code: "unknown_model",
    });
    expect(await client.profile(OFFLINE_MODEL)).toMatchObject({ provider: "offline", supportsVision: true });
  });
});
