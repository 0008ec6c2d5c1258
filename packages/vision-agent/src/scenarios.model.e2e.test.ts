import { type AnthropicLoopback, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import type { Alert, Camera, WorkflowSpec } from "@vision-agent/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { countingWorkflow } from "./pipelines/counting-workflow.ts";
import { watchingWorkflow } from "./pipelines/watching-workflow.ts";
import { ACME, redPicture } from "./testing/acme-workspace.ts";
import { type RoboflowLoopback, startRoboflowLoopback } from "./testing/roboflow-loopback.ts";
import { openScenarioApp, type ScenarioApp, until } from "./testing/scenario-app.ts";
import {
  call,
  firstLines,
  type Heard,
  mend,
  pictureIn,
  pipelineIn,
  type Step,
  say,
  toScript,
} from "./testing/scripted-turns.ts";

let roboflow: RoboflowLoopback;
let model: AnthropicLoopback | undefined;
let app: ScenarioApp | undefined;

beforeAll(async () => {
  roboflow = await startRoboflowLoopback(ACME);
});
afterEach(async () => {
  await app?.stop();
  const refusals = model?.refusals ?? [];
  await model?.close();
  [app, model] = [undefined, undefined];
  expect(refusals).toEqual([]);
});
afterAll(() => roboflow.close());

async function open(cameras: Readonly<Record<string, string>>, steps: readonly Step[]): Promise<ScenarioApp> {
  model = await startAnthropicLoopback({ script: toScript(steps) });
  app = await openScenarioApp({
    cameras,
    config: {
      llm: { provider: "anthropic", api_key: model.apiKey, base_url: model.url },
      inference: { api_key: roboflow.key, roboflow_api_url: roboflow.url },
    },
  });
  return app;
}

/** Small pictures: what is drawn is not what is tried here. */
const CAMERAS = { cam1: "sim://warehouse?width=320&height=180", cam2: "sim://street?width=320&height=180" };

/** The line that a model draws once it knows the size of the frame. */
function middleCount({ results }: Heard, classes: readonly string[]): WorkflowSpec {
  const [, width = 0, height = 0] = (/^Frame: (\d+)x(\d+) px/m.exec(results[0]?.text ?? "") ?? []).map(Number);
  const middle = width / 2;
  return countingWorkflow({
    modelId: "sim/truth",
    classes,
    line: [
      [middle, 0],
      [middle, height],
    ],
  });
}

describe("the MVP scenarios with a scripted model", () => {
  it("S000-9.1 a model of the person runs on the attached picture", async () => {
    const { say: tell, steps } = await open(CAMERAS, [
      (heard) => call(["run_inference", { image: pictureIn(heard), model_id: "my-ws/hard-hat/3" }]),
      (heard) => say(`Your model says: ${firstLines(heard)}`),
    ]);
    const { text } = await tell("I have a model my-ws/hard-hat/3. Run it on this image.", [await redPicture()]);
    expect(text).toBe("Your model says: picture: 1 hard-hat.");
    expect((await steps())[0]).toMatchObject({ outcome: "ok", text: expect.stringMatching(/at 32,12,96,36/) });
    expect(roboflow.served).toContain("model my-ws/hard-hat/3");
  });

  it("S000-9.2 a saved workflow runs on a camera, and its results are read", async () => {
    let started: Heard | undefined;
    const {
      say: tell,
      pipelines,
      results,
    } = await open(CAMERAS, [
      () =>
        call([
          "start_pipeline",
          { video_reference: "cam1", workspace_name: "acme", workflow_id: "ppe-check", pipeline_name: "ppe" },
        ]),
      (heard) => {
        started = heard;
        return call(["get_pipeline_results", { pipeline_id: pipelineIn(heard), max_results: 1 }]);
      },
      () => say(`ppe-check is running on cam1 as ppe (${started && pipelineIn(started)}).`),
    ]);
    const { text } = await tell("I have a workflow called 'ppe-check' in my 'acme' workspace. Run it on cam1.");
    const [pipeline] = await pipelines();
    expect(text).toBe(`ppe-check is running on cam1 as ppe (${pipeline?.pipeline_id}).`);
    expect(pipeline).toMatchObject({ name: "ppe", video_reference: "cam1", models: ["my-ws/hard-hat/3"] });
    const result = await until("result", async () => (await results(pipeline?.pipeline_id ?? "", 1))[0]);
    expect(result.outputs.workers).toMatchObject({ kind: "detections" });
    expect(result.outputs.count).not.toEqual({ kind: "value", value: 0 });
    expect(roboflow.served).toContain("workflow acme/ppe-check");
  });

  it("S000-9.3 it asks which video is meant, goes on with the answer, and tries what it has made", async () => {
    let watchId = "";
    const {
      say: tell,
      pauses,
      watches,
      pipelines,
      steps,
      alerts,
      agree,
      get,
    } = await open(CAMERAS, [
      () => call(["ask_user", { question: "Which camera is the video of?", choices: ["cam1", "cam2"] }]),
      ({ results }) => {
        const cameras = ["cam1", "cam2"].filter((name) => results[0]?.text.includes(name));
        return call(["create_watch", { words: "people in the video", cameras, classes: ["person"], when: "appears" }]);
      },
      ({ results }) => {
        watchId = /watch_\w+/.exec(results[0]?.text ?? "")?.[0] ?? "";
        return call(["preview_watch", { watch_id: watchId, changes: { cooldown_seconds: 600 } }]);
      },
      () => call(["test_watch", { watch_id: watchId }]),
      () => call(["explain_event", { camera: "cam2", watch_id: watchId }]),
      () => say("I am watching it for people and will tell you."),
      () => call(["load_tools", { names: ["set_mode"] }]),
      () =>
        call(
          ["update_watch", { watch_id: watchId, changes: { severity: "warning", modes: ["away"] } }],
          ["set_mode", { mode: "away" }],
          ["mute_watch", { watch_id: watchId, minutes: 60 }],
        ),
      () => call(["list_watches", {}]),
      () => say("It tells as a warning while you are away, and is muted for an hour."),
      () => call(["remove_watch", { watch_id: watchId }]),
      () => say("It is gone."),
    ]);
    const asked = await tell("Watch this video for people.");
    expect(asked).toMatchObject({ status: "paused", reason: "Which camera is the video of?" });
    expect(await pauses()).toMatchObject([{ kind: "ask_user", choices: ["cam1", "cam2"] }]);
    expect(await pipelines()).toEqual([]);
    expect((await tell("cam2")).status).toBe("finished");
    expect(await watches()).toMatchObject([
      { id: watchId, cameras: ["cam2"], classes: ["person"], enabled: true, cooldown_seconds: 30 },
    ]);
    const [, , previewed, tested, explained] = await steps();
    expect(explained).toMatchObject({
      outcome: "ok",
      text: expect.stringContaining(`${watchId} "people in the video"`),
    });
    expect(previewed).toMatchObject({ outcome: "ok", text: expect.stringMatching(/^Seen \d+ times, alerts \d+/m) });
    expect(tested).toMatchObject({
      outcome: "ok",
      text: expect.stringMatching(/^A test alert was sent to the alert log, with a picture\.$/),
    });
    expect((await alerts()).filter(({ test }) => test)).toMatchObject([{ watch_id: watchId, camera: "cam2" }]);
    await tell("As a warning, and only while we are away, from now on. Not in the next hour.");
    const muted = { severity: "warning", modes: ["away"], state: { kind: "muted" } };
    expect([await get("/api/mode"), await watches()]).toMatchObject([{ mode: "away" }, [muted]]);
    const listed = (await steps()).at(-1);
    expect(listed).toMatchObject({ tool: "list_watches", text: expect.stringMatching(/watch_.*away.*muted/s) });
    expect(await tell("Remove it.")).toMatchObject({ reason: 'May I remove the watch "people in the video"?' });
    expect(await watches()).toHaveLength(1);
    await agree();
    expect(await watches()).toEqual([]);
  });

  it("S000-9.4 a composed workflow counts cars across the middle", async () => {
    const address = "sim://street?start=32&width=320&height=180";
    const {
      say: tell,
      agree,
      pipelines,
      results,
      events,
    } = await open({ "test.mp4": address }, [
      () => call(["think", { thought: "detection, tracker, line counter; the line needs the size of the frame" }]),
      () => call(["capture_frame", { camera: "test.mp4" }]),
      (heard) => call(["start_pipeline", { video_reference: "test.mp4", workflow_spec: middleCount(heard, ["car"]) }]),
      () => say("I am counting cars across the middle now."),
    ]);
    expect(await tell("Count cars crossing the middle of the frame in test.mp4")).toMatchObject({
      reason: "May I start a pipeline on test.mp4?",
    });
    await agree();
    const [pipeline] = await pipelines();
    const points = [
      [160, 0],
      [160, 180],
    ];
    expect(pipeline).toMatchObject({ video_reference: "test.mp4", shapes: [{ kind: "line", points }] });
    const crossed = await until("crossing", async () => {
      const all = await events({ kind: "line_crossed", class: "car" });
      return all.length > 0 && all;
    });
    const newest = (await results(pipeline?.pipeline_id ?? "", 1))[0];
    const sum = [newest?.outputs.count_in, newest?.outputs.count_out].map((one) =>
      one?.kind === "value" ? Number(one.value) : Number.NaN,
    );
    expect((sum[0] ?? 0) + (sum[1] ?? 0)).toBeGreaterThanOrEqual(crossed.length);
  });

  it("S000-9.5 the blocks for tracking are looked up; money and notes are asked about with tools loaded on demand", async () => {
    let place = "";
    const {
      say: tell,
      agree,
      send,
      steps,
    } = await open(CAMERAS, [
      () => call(["list_workflow_blocks", { category: "tracking" }]),
      ({ results }) =>
        say([...(results[0]?.text ?? "").matchAll(/^- (\S+@v\d+):/gm)].map(([, type]) => type).join("\n")),
      () => call(["load_tools", { names: ["get_usage", "set_limit", "forget_note"] }]),
      () =>
        call(
          ["get_usage", {}],
          ["set_limit", { daily_usd: 5 }],
          ["remember", { content: "Bins go out on Monday.", category: "knowledge" }],
        ),
      ({ results }) => {
        place = /\((.+:\d+)\)/.exec(results.at(-1)?.text ?? "")?.[1] ?? "";
        return call(["forget_note", { note: place }]);
      },
      () => say("Done."),
    ]);
    const { text } = await tell("What blocks are available for tracking?");
    expect(text.split("\n")).toEqual(expect.arrayContaining(["roboflow_core/byte_tracker@v3"]));
    expect(await tell("What did it cost? Five a day at most. And the bins: no, forget that.")).toMatchObject({
      status: "paused",
      reason: expect.stringContaining("Bins go out on Monday."),
    });
    await agree();
    expect((await steps()).slice(1).map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["load_tools", "ok"],
      ["get_usage", "ok"],
      ["set_limit", "ok"],
      ["remember", "ok"],
      ["forget_note", "ok"],
    ]);
    expect(await send("PUT", "/api/usage/limit", {})).toEqual({ daily_usd: 5, monthly_usd: null });
  });

  it("S000-9.6 the attached picture reaches the model, and its answer the person", async () => {
    const { say: tell } = await open(CAMERAS, [
      (heard) => call(["ask_about_image", { image: pictureIn(heard), question: "What is in it?" }]),
      ({ images }) => say(`Something red, ${images[0]?.width} by ${images[0]?.height} pixels.`),
      (heard) => say(firstLines(heard)),
    ]);
    const { text } = await tell("What's in this image?", [await redPicture()]);
    expect(text).toBe("picture: Something red, 128 by 96 pixels.");
  });

  it("S000-9.8 all pipelines stop after a yes, and what was observed is told", async () => {
    let seen = "";
    const {
      say: tell,
      agree,
      send,
      pipelines,
      events,
    } = await open(CAMERAS, [
      () => call(["search_events", {}]),
      (heard) => {
        seen = firstLines(heard);
        return call(["stop_pipeline", { pipeline_id: "all" }]);
      },
      () => say(`I have stopped both pipelines. I saw ${seen}`),
    ]);
    const workflow = watchingWorkflow({ modelId: "sim/truth" });
    for (const camera of Object.keys(CAMERAS)) {
      await send("POST", "/api/pipelines", { sources: [camera], workflow, name: `${camera}-watch` });
    }
    await until("event", async () => (await events()).length > 0);
    expect(await tell("Stop all pipelines and summarize what you observed.")).toMatchObject({
      status: "paused",
      reason: "May I stop all pipelines (cam1-watch, cam2-watch)?",
    });
    expect(await pipelines()).toHaveLength(2);
    const { text } = await agree();
    expect(await pipelines()).toEqual([]);
    expect(text).toMatch(/^I have stopped both pipelines\. I saw \d+ events?: \d+ appeared \w+/);
  });

  it("S000-9.9 a saved workflow runs on an address at the rate that was named", async () => {
    const address = "sim://warehouse?width=320&height=180&seed=2";
    const { say: tell, definitions } = await open(CAMERAS, [
      () =>
        call([
          "start_pipeline",
          { video_reference: address, workspace_name: "acme", workflow_id: "inventory-count", max_fps: 2 },
        ]),
      ({ results }) => say(results[0]?.failed ? "It did not start." : "It is running at 2 frames per second."),
    ]);
    const { text } = await tell(`Use my workflow 'inventory-count' on ${address} at 2 FPS`);
    expect(text).toContain("2 frames per second");
    expect(await definitions()).toMatchObject([
      { video_reference: address, max_fps: 2, spec: ACME.workflows["acme/inventory-count"] },
    ]);
  });

  it("S000-9.10 it plans, then runs a pipeline for each camera and one that tells", async () => {
    const {
      say: tell,
      definitions,
      steps,
    } = await open(CAMERAS, [
      () => call(["think", { thought: "Three: people on cam1, vehicles on cam2, a watch for nearness on cam2." }]),
      () =>
        call(
          ["start_pipeline", { video_reference: "cam1", workflow_spec: follow(["person"]) }],
          ["start_pipeline", { video_reference: "cam2", workflow_spec: follow(["car", "truck"]) }],
          [
            "create_watch",
            { words: "near", cameras: ["cam2"], classes: ["person"], when: "near", other: ["car", "truck"] },
          ],
        ),
      (heard) => say(`${heard.results.filter(({ failed }) => !failed).length} of 3 were done.`),
    ]);
    const { text } = await tell(
      "Monitor cam1 and cam2. Detect people on cam1, vehicles on cam2. Alert me if a person is near a vehicle on cam2.",
    );
    expect(text).toBe("3 of 3 were done.");
    expect((await steps())[0]?.tool).toBe("think");
    const running = (await definitions()).map(({ video_reference, spec }) => [
      video_reference,
      spec.steps[0]?.class_filter,
    ]);
    expect(running.slice(0, 2)).toEqual([
      ["cam1", ["person"]],
      ["cam2", ["car", "truck"]],
    ]);
  });
});

describe("S000-9.7 a workflow that is wrong is mended from what the tool says", () => {
  const right = countingWorkflow({
    modelId: "sim/truth",
    classes: ["person"],
    line: [
      [160, 0],
      [160, 180],
    ],
  });
  /** With one step changed. */
  const wrong = (name: string, change: (step: WorkflowSpec["steps"][number]) => object): WorkflowSpec => ({
    ...right,
    steps: right.steps.map((step) => (step.name === name ? (change(step) as typeof step) : step)),
  });

  const mistakes: readonly (readonly [string, WorkflowSpec])[] = [
    ["a block type", wrong("tracker", (step) => ({ ...step, type: "roboflow_core/byte_traker@v3" }))],
    ["a property's name", wrong("tracker", ({ detections, ...step }) => ({ ...step, detection: detections }))],
    ["a selector", wrong("line", (step) => ({ ...step, detections: "$steps.traker.tracked_detections" }))],
    ["an output", wrong("boxes", (step) => ({ ...step, predictions: "$steps.tracker.tracked" }))],
    [
      "two things at once",
      {
        ...wrong("tracker", (step) => ({ ...step, detections: "$steps.detection.boxes" })),
        outputs: right.outputs.map((one) => (one.name === "count_in" ? { ...one, selector: "$steps.line.in" } : one)),
      },
    ],
  ];

  it("deploys at the second attempt, whatever was wrong at the first", async () => {
    const deploy = (workflow_spec: WorkflowSpec, pipeline_name: string) =>
      call(["start_pipeline", { video_reference: "cam1", workflow_spec, pipeline_name }]);
    const turns = mistakes.flatMap(([what, attempt]): readonly Step[] => [
      () => deploy(attempt, what),
      ({ results }) => deploy(mend(attempt, results[0]?.text ?? ""), what),
      ({ results }) => say(results[0]?.failed ? "I gave up." : "The pipeline is running on cam1."),
    ]);
    const { say: tell, steps, pipelines, definitions, send } = await open(CAMERAS, turns);
    for (const [what] of mistakes) {
      const before = (await steps()).length;
      const { text } = await tell("Count people crossing the middle of cam1, with a workflow of your own.");
      const attempts = (await steps()).slice(before).map(({ outcome }) => outcome);
      expect([what, attempts.length, attempts.at(-1), text]).toEqual([
        what,
        2,
        "ok",
        "The pipeline is running on cam1.",
      ]);
      expect(attempts[0]).not.toBe("ok");
      const [pipeline] = await pipelines();
      expect(pipeline).toMatchObject({ name: what, video_reference: "cam1" });
      expect((await definitions())[0]?.spec).toEqual(right);
      await send("DELETE", `/api/pipelines/${pipeline?.pipeline_id}`);
    }
  });
});

describe("changes with a scripted model", () => {
  it("counts, undoes, alerts on an output, renames and removes a camera, lists alerts and shows a picture", async () => {
    const ask = (name: string, input: object): readonly Step[] => [
      () => call([name, input]),
      (heard) => say(firstLines(heard)),
    ];
    let alert = "";
    const {
      say: tell,
      agree,
      get,
      send,
      pipelines,
      watches,
      steps,
    } = await open(CAMERAS, [
      ...ask("start_count", { camera: "cam2", classes: ["people"], line: "vertical middle" }),
      ...ask("undo", {}),
      ...ask("undo", { redo: true }),
      ...ask("start_pipeline", {
        video_reference: "cam1",
        pipeline_name: "crowd",
        workflow_spec: follow(["person"]),
        alert_when: { path: "nothing.there", comparator: ">", value: 5, text: "A crowd." },
      }),
      ...ask("undo", {}),
      () => call(["load_tools", { names: ["save_camera"] }]),
      ...ask("save_camera", { name: "cam1", new_name: "dock" }),
      () => call(["load_tools", { names: ["list_alerts", "show_picture", "remove_camera"] }]),
      () => call(["list_alerts", {}]),
      () => call(["show_picture", { alert_id: alert }]),
      (heard) => say(firstLines(heard)),
      ...ask("remove_camera", { name: "dock" }),
    ]);
    expect((await tell("Count the people on cam2.")).text).toBe("Counting.");
    const [counting] = await pipelines();
    expect(counting).toMatchObject({ name: "cam2-person-count", video_reference: "cam2", shapes: [{ kind: "line" }] });
    expect((await tell("Undo that.")).text).toBe("Undone: Started pipeline cam2-person-count on cam2.");
    expect(await pipelines()).toEqual([]);
    await tell("No, do it again.");
    expect(await pipelines()).toMatchObject([{ pipeline_id: counting?.pipeline_id }]);
    await tell("Tell me when there is a crowd on cam1.");
    expect((await watches()).map(({ words }) => words)).toEqual(["A crowd."]);
    await tell("Undo that.");
    expect([await watches(), (await pipelines()).map(({ name }) => name)]).toEqual([[], ["cam2-person-count"]]);
    const watch = { words: "somebody", cameras: ["cam1"], classes: ["person"], condition: { kind: "appears" } };
    await send("POST", "/api/watches", watch);
    expect((await tell("Call cam1 dock.")).text).toContain("cam1 is called dock now");
    const told = await until("alert of dock with a picture", async () =>
      (await get<readonly Alert[]>("/api/alerts")).find((one) => one.camera === "dock" && one.picture !== undefined),
    );
    alert = told.id;
    expect((await tell("Did you alert me? Show me.")).text).toContain(`The person sees the picture of dock`);
    expect(await steps()).toContainEqual(
      expect.objectContaining({ tool: "list_alerts", text: expect.stringContaining(alert) }),
    );
    await tell("Remove the camera dock.");
    await agree();
    await until("camera that is gone", async () => (await get<readonly Camera[]>("/api/cameras")).length === 1);
    expect([await watches(), (await pipelines()).length]).toEqual([[], 1]);
    await send("POST", "/api/undo", {});
    expect(await watches()).toMatchObject([{ words: "somebody", cameras: ["dock"], state: { kind: "on" } }]);
  });
});

/** Detection and tracker alone. */
function follow(classes: readonly string[]): WorkflowSpec {
  return watchingWorkflow({ modelId: "sim/truth", classes });
}
