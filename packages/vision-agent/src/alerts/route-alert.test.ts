import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import { type Alert, alertSchema, type SceneEvent, type SceneEventKind, type Watch } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { BackendError } from "../backends/backend.ts";
import { openBoundedLog } from "../store/bounded-log.ts";
import { createMemoryFiles, type MemoryFiles } from "../testing/memory-files.ts";
import { quietReason } from "../watches/watch-times.ts";
import { type AlertDecision, alertDecisionSchema } from "./alert-decision.ts";
import { type AlertChannel, type AlertRouter, type AlertRouterOptions, createAlertRouter } from "./route-alert.ts";

describe("an event that was asked for", () => {
  it("S000-11.6.3 becomes an alert with its sentence, time and picture, for listeners and every channel", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed"] });
    const told: Alert[] = [];
    setup.router.onAlert((alert) => told.push(alert));
    setup.happen("line_crossed", { picture: "art_1" });
    await setup.router.close();
    expect(told).toEqual([
      {
        id: "alert_1",
        severity: "info",
        timestamp: "2026-01-01T00:00:00.000Z",
        camera: "street",
        text: "It happened.",
        event_id: "event_1",
        picture: "art_1",
        held_back: 0,
      },
    ]);
    expect(alertSchema.parse(told[0])).toEqual(told[0]);
    expect(setup.sent).toEqual(told);
    expect(setup.router.list()).toContainEqual(told[0]);
  });

  it("is held back within the cooldown, counted, and told with the count afterwards", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed"] });
    setup.happen("line_crossed");
    await setup.pass(10_000);
    setup.happen("line_crossed");
    setup.happen("line_crossed");
    await setup.pass(20_000);
    setup.happen("line_crossed");
    expect(setup.router.list().map(({ held_back, text }) => [held_back, text])).toEqual([
      [2, "It happened. (2 more since the last alert)"],
      [0, "It happened."],
    ]);
  });

  it("is not drowned out by another pipeline on the same camera", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed"] });
    setup.happen("line_crossed", { pipeline_id: "demo" });
    setup.happen("line_crossed", { pipeline_id: "asked-for" });
    expect(setup.router.list()).toHaveLength(2);
  });

  it("has a cooldown of its own for each camera and kind", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed", "appeared"] });
    setup.happen("line_crossed");
    setup.happen("appeared");
    setup.happen("line_crossed", { camera: "yard" });
    expect(setup.router.list()).toHaveLength(3);
  });
});

describe("an alert that cannot be raised", () => {
  it("is told, and neither the event nor the program ends with it", async () => {
    const setup = await openSetup({
      alertOn: ["line_crossed"],
      redact: () => {
        throw new Error("no memory");
      },
    });
    setup.happen("line_crossed");
    setup.happen("camera_down");
    setup.happen("camera_down");
    await setup.pass(30_000);
    await setup.router.close();
    expect(setup.problems).toEqual(setup.problems.map(() => "An alert could not be raised: no memory"));
    expect(setup.problems.length).toBeGreaterThanOrEqual(3);
  });

  it("because one listener fails reaches the others and is kept", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed"] });
    setup.router.onAlert(() => {
      throw new Error("gone");
    });
    const told: Alert[] = [];
    setup.router.onAlert((alert) => told.push(alert));
    setup.happen("line_crossed");
    await setup.router.close();
    expect([told.length, setup.sent.length, setup.router.list().length]).toEqual([1, 1, 1]);
    expect(setup.problems).toEqual(["An alert could not be raised: gone"]);
  });
});

describe("a camera that goes down or comes back", () => {
  it("is always told, as a warning and as good news", async () => {
    const setup = await openSetup({ alertOn: [] });
    setup.happen("camera_down");
    setup.happen("camera_up");
    expect(setup.router.list().map(({ severity }) => severity)).toEqual(["info", "warning"]);
  });

  it("is told when it is frozen, covered or moved, and not a second time when it is well before the cooldown ends", async () => {
    const setup = await openSetup({ alertOn: [] });
    for (const kind of ["camera_frozen", "camera_covered", "camera_moved"] as const) setup.happen(kind);
    expect(setup.router.list().map(({ severity }) => severity)).toEqual(["warning", "warning", "warning"]);
    setup.happen("camera_up");
    setup.happen("camera_frozen");
    setup.happen("camera_up");
    await setup.pass(60_000);
    expect(setup.router.list()).toHaveLength(4);
  });
});

describe("a camera that comes and goes", () => {
  it("is told as down once the cooldown is over, when it stayed down", async () => {
    const setup = await openSetup({ alertOn: [] });
    setup.happen("camera_down");
    await setup.pass(5000);
    setup.happen("camera_up");
    await setup.pass(5000);
    setup.happen("camera_down", { text: "Down again." });
    expect(setup.router.list()).toHaveLength(2);
    await setup.pass(20_000);
    expect(setup.router.list()[0]).toMatchObject({ severity: "warning", text: "Down again.", held_back: 0 });
    await setup.pass(1000);
    setup.happen("camera_up");
    expect(setup.router.list()[0]).toMatchObject({ severity: "info" });
  });

  it("is not told at all when it was back before its cooldown ended", async () => {
    const setup = await openSetup({ alertOn: [] });
    setup.happen("camera_down");
    setup.happen("camera_up");
    await setup.pass(5000);
    setup.happen("camera_down");
    await setup.pass(5000);
    setup.happen("camera_up");
    await setup.pass(60_000);
    expect(setup.router.list()).toHaveLength(2);
    const decisions = setup.router.why("street", "2026-01-01T00:00:10.000Z");
    expect(decisions[0]?.reason).toBe("It was over before an alert was sent.");
  });

  it("is no longer waited for once the router is closed", async () => {
    const setup = await openSetup({ alertOn: [] });
    setup.happen("camera_down");
    setup.happen("camera_up");
    setup.happen("camera_down");
    await setup.router.close();
    await setup.pass(60_000);
    expect(setup.router.list()).toHaveLength(2);
  });
});

describe("why", () => {
  it("names the gate that said no, with its numbers", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed"] });
    setup.happen("appeared");
    setup.happen("line_crossed");
    await setup.pass(12_000);
    setup.happen("line_crossed");
    setup.happen("line_crossed", { pipeline_id: "gone" });
    const decisions = setup.router.why("Street", "2026-01-01T00:00:12.000Z");
    expect(decisions.map(({ reason, alert_id }) => [reason, alert_id !== undefined])).toEqual([
      ['Held back: the last alert of "line crossed" on street was 12 s ago, and the cooldown is 30 s.', false],
      ["The pipeline that saw it has been stopped since.", false],
      ['The pipeline alerts on "line crossed".', true],
      ['The pipeline does not alert on "appeared", only on "line crossed".', false],
    ]);
  });

  it("knows of an alert however much happened since that nobody asked about", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed"] });
    setup.happen("line_crossed");
    for (let count = 0; count < 1200; count += 1) setup.happen("appeared");
    const decisions = setup.router.why("street", "2026-01-01T00:00:00.000Z");
    expect(decisions[0]).toMatchObject({ kind: "line_crossed", alert_id: expect.any(String) });
  });

  it("answers only for that camera and around that time", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed"] });
    setup.happen("line_crossed");
    expect(setup.router.why("yard", "2026-01-01T00:00:00.000Z")).toEqual([]);
    expect(setup.router.why("street", "2026-01-01T00:05:00.000Z")).toEqual([]);
  });

  it("names a channel that did not get through, and the others still get it", async () => {
    const broken: AlertChannel = { name: "pager", send: () => Promise.reject(new Error("no line")) };
    const setup = await openSetup({ alertOn: ["line_crossed"], channels: [broken] });
    setup.happen("line_crossed");
    await setup.router.close();
    expect(setup.sent).toHaveLength(1);
    const [decision] = setup.router.why("street", "2026-01-01T00:00:00.000Z");
    expect(decision?.failures).toEqual([{ channel: "pager", reason: "no line" }]);
    expect(setup.problems).toEqual(["An alert could not be sent through pager: no line"]);
  });
});

describe("alerts on disk", () => {
  it("are there after a restart, newest first", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed", "appeared"] });
    setup.happen("line_crossed");
    setup.happen("appeared");
    await setup.router.close();
    const again = await openSetup({ alertOn: [], files: setup.files });
    expect(again.router.list().map(({ id }) => id)).toEqual(["alert_2", "alert_1"]);
    expect(again.router.list(1)).toHaveLength(1);
  });

  it("are told all the same when the disk is full", async () => {
    const setup = await openSetup({ alertOn: ["line_crossed"] });
    setup.files.fault = { code: "ENOSPC" };
    setup.happen("line_crossed");
    await setup.router.close();
    expect(setup.sent).toHaveLength(1);
    expect(setup.router.list()).toHaveLength(1);
    expect(setup.problems[0]).toContain("no space left");
  });
});

describe("an event of a watch", () => {
  const watch: Watch = {
    id: "watch_1",
    words: "tell me when a person comes",
    cameras: ["street"],
    classes: ["person"],
    condition: { kind: "appears" },
    cooldown_seconds: 60,
    severity: "critical",
    enabled: true,
    created_at: "2026-01-01T00:00:00.000Z",
  };

  it("is told with the severity and the cooldown of the watch, on a pipeline that tells of nothing else", async () => {
    const setup = await openSetup({ alertOn: [], watch });
    setup.happen("condition_true", { watch_id: "watch_1" });
    await setup.pass(59_000);
    setup.happen("condition_true", { watch_id: "watch_1" });
    expect(setup.router.list()).toMatchObject([{ severity: "critical", watch_id: "watch_1" }]);
    await setup.pass(1000);
    setup.happen("condition_true", { watch_id: "watch_1" });
    expect(setup.router.list()).toHaveLength(2);
  });

  it("is no alert when a condition ceases to hold, and the reason is kept", async () => {
    const setup = await openSetup({ alertOn: [], watch });
    setup.happen("condition_false", { watch_id: "watch_1" });
    expect(setup.router.list()).toEqual([]);
    expect(setup.router.why("street", "2026-01-01T00:00:00.000Z")[0]?.reason).toBe(
      "A watch alerts when its condition comes true, not when it ends.",
    );
  });

  it("is silent outside the active hours and after the watch is gone, and why says so", async () => {
    const active_hours = { from: "01:00", to: "02:00" };
    const setup = await openSetup({ alertOn: [], watch: { ...watch, active_hours } });
    setup.happen("condition_true", { watch_id: "watch_1" });
    setup.happen("condition_true", { watch_id: "watch_9" });
    expect(setup.router.list()).toEqual([]);
    const reasons = setup.router.why("street", "2026-01-01T00:00:00.000Z").map(({ reason }) => reason);
    expect(reasons.join(" ")).toContain(`only between ${active_hours.from} and ${active_hours.to}`);
    expect(reasons.join(" ")).toContain("has been removed");
  });

  it("is silent while the watch is muted, and not after", async () => {
    const setup = await openSetup({ alertOn: [], watch: { ...watch, muted_until: "2026-01-01T01:00:00+00:30" } });
    setup.happen("condition_true", { watch_id: "watch_1" });
    expect(setup.decided).toMatchObject([{ gate: "muted", watch_id: "watch_1" }]);
    await setup.pass(30 * 60_000);
    setup.happen("condition_true", { watch_id: "watch_1" });
    expect(setup.router.list()).toHaveLength(1);
  });

  it("says what the watch is to say", async () => {
    const setup = await openSetup({ alertOn: [], watch: { ...watch, text: "Close the gate!" } });
    setup.happen("condition_true", { watch_id: "watch_1" });
    expect(setup.router.list()[0]?.text).toBe("Close the gate!");
  });

  it("has its reason after a restart, and none of what nobody asked for is stored", async () => {
    const files = createMemoryFiles();
    const before = await openSetup({ alertOn: [], watch: { ...watch, days: ["mon"] }, files });
    before.happen("appeared");
    before.happen("condition_true", { watch_id: "watch_1" });
    await before.router.close();
    const after = await openSetup({ alertOn: [], files });
    expect(after.router.why("street", "2026-01-01T00:00:00.000Z")).toMatchObject([
      { gate: "days", watch_id: "watch_1", reason: expect.stringContaining("only on mon") },
    ]);
  });

  it("is told once a model has confirmed it, not when it says no, and with a word when nobody could look", async () => {
    const answers = ["denied", "confirmed", "unchecked"] as const;
    const asked: string[] = [];
    const check = async (_: Watch, { id }: SceneEvent) => {
      asked.push(id);
      return { kind: answers[asked.length - 1] ?? "denied", reason: "No van." } as const;
    };
    const checked: Watch = { ...watch, check: { question: "Is it a van?", expect: "yes", frames: 1, daily_usd: 1 } };
    const setup = await openSetup({ alertOn: [], watch: checked, check });
    for (const _ of answers) {
      setup.happen("condition_true", { watch_id: "watch_1" });
      // Meanwhile nothing else is asked.
      setup.happen("condition_true", { watch_id: "watch_1" });
      await setup.pass(0);
      await setup.pass(61_000);
    }
    await setup.router.close();
    expect(asked).toEqual(["event_1", "event_3", "event_5"]);
    expect(setup.router.list().map(({ text }) => text)).toEqual([
      "It happened. (Not checked: No van.) (1 more since the last alert)",
      "It happened. (1 more since the last alert)",
    ]);
    expect(setup.decided.find(({ event_id }) => event_id === "event_1")).toMatchObject({
      gate: "check",
      reason: "No van.",
    });
  });

  it("has a cooldown in the time of the pictures, however late they are looked at", async () => {
    const { happen, pass, sent } = await openSetup({ alertOn: [], watch });
    const at = (seconds: number) => ({
      watch_id: "watch_1",
      timestamp: new Date(Date.parse("2026-01-01T12:00:00Z") + seconds * 1000).toISOString(),
    });
    happen("condition_true", at(0));
    await pass(1000);
    happen("condition_true", at(70));
    await pass(100_000);
    happen("condition_true", at(80));
    expect(sent.map(({ timestamp }) => timestamp)).toEqual([at(0).timestamp, at(70).timestamp]);
  });

  it("tells again after its cooldown when the clock was set back meanwhile", async () => {
    const { happen, pass, sent } = await openSetup({ alertOn: [], watch });
    const at = (time: string) => ({ watch_id: "watch_1", timestamp: `2026-01-01T${time}.000Z` });
    happen("condition_true", at("12:00:00"));
    await pass(30_000);
    happen("condition_true", at("11:00:30"));
    await pass(30_000);
    happen("condition_true", at("11:01:00"));
    await pass(30_000);
    happen("condition_true", at("11:01:30"));
    expect(sent.map(({ timestamp }) => timestamp.slice(11, 19))).toEqual(["12:00:00", "11:01:00"]);
  });

  it("is still in its cooldown after a restart", async () => {
    const files = createMemoryFiles();
    const before = await openSetup({ alertOn: [], watch, files });
    before.happen("condition_true", { watch_id: "watch_1" });
    await before.router.close();
    const after = await openSetup({ alertOn: [], watch, files });
    await after.pass(30_000);
    after.happen("condition_true", { watch_id: "watch_1" });
    expect(after.router.list()).toHaveLength(1);
  });
});

describe("what the agent itself tells", () => {
  it("reaches listeners, every channel and the log at once, without a cooldown", async () => {
    const setup = await openSetup({ alertOn: [] });
    const heard: Alert[] = [];
    setup.router.onAlert((alert) => heard.push(alert));
    const message = { text: "The gate is open.", severity: "warning", camera: "street", picture: "art_1" } as const;
    const { alert, failures } = await setup.router.tell(message);
    await setup.router.tell(message);
    expect(alertSchema.parse(alert)).toEqual({
      ...message,
      id: "alert_1",
      timestamp: "2026-01-01T00:00:00.000Z",
      held_back: 0,
    });
    expect(failures).toEqual([]);
    expect(heard).toHaveLength(2);
    expect(setup.sent).toEqual(heard);
    expect(setup.router.list()).toContainEqual(alert);
  });

  it("says which channels did not get through, and needs no camera", async () => {
    const broken = { name: "radio", send: async () => Promise.reject(new Error("No signal.")) };
    const setup = await openSetup({ alertOn: [], channels: [broken] });
    const { alert, failures } = await setup.router.tell({ text: "Good morning.", severity: "info" });
    expect(alert.camera).toBe("");
    expect(failures).toEqual([{ channel: "radio", reason: "No signal." }]);
    expect(setup.router.list()).toEqual([alert]);
  });
});

describe("a watch that is tried", () => {
  const watch = {
    id: "watch_1",
    words: "a person",
    cameras: ["street"],
    classes: ["person"],
    condition: { kind: "appears" },
    cooldown_seconds: 600,
    severity: "warning",
    enabled: true,
    created_at: "2026-01-01T00:00:00.000Z",
  } satisfies Watch;

  it("sends an alert that is marked as a test, which starts no cooldown, over a restart neither, and is not counted", async () => {
    const first = await openSetup({ alertOn: [], watch });
    const { alert } = await first.router.tell({
      text: "Test.",
      severity: "warning",
      camera: "street",
      testOf: "watch_1",
    });
    expect(alert).toMatchObject({ test: true, watch_id: "watch_1", camera: "street" });
    expect(alertSchema.parse(alert)).toEqual(alert);
    expect(first.sent).toEqual([alert]);
    expect(first.decided).toEqual([]);
    await first.router.close();
    const second = await openSetup({ alertOn: [], watch, files: first.files });
    second.happen("condition_true", { watch_id: "watch_1" });
    await second.router.close();
    expect(second.router.list().map(({ test }) => test)).toEqual([undefined, true]);
  });
});

interface Setup {
  readonly router: AlertRouter;
  readonly files: MemoryFiles;
  readonly sent: Alert[];
  readonly problems: string[];
  readonly decided: readonly AlertDecision[];
  happen(kind: SceneEventKind, more?: Partial<SceneEvent>): void;
  pass(ms: number): Promise<void>;
}

async function openSetup(options: {
  readonly alertOn: readonly SceneEventKind[];
  readonly channels?: readonly AlertChannel[];
  readonly files?: MemoryFiles;
  readonly watch?: Watch;
  readonly redact?: (text: string) => string;
  readonly check?: AlertRouterOptions["check"];
}): Promise<Setup> {
  const { alertOn, watch, redact, check, channels = [], files = createMemoryFiles() } = options;
  const decided: AlertDecision[] = [];
  const sent: Alert[] = [];
  const problems: string[] = [];
  const clock = createFakeClock();
  let events = 0;
  let emit: (event: SceneEvent) => void = () => undefined;
  const router = createAlertRouter({
    pipelines: {
      definition: (id) => {
        if (id === "gone") throw new BackendError({ kind: "not_found", message: "gone" });
        return { spec: { version: "1.0", inputs: [], steps: [], outputs: [] }, alertOn };
      },
    },
    findWatch: (id) => (watch?.id === id ? watch : undefined),
    redact,
    quiet: (asked, ms) => quietReason(asked, ms, { timeZone: "UTC", mode: "home" }),
    decisions: await openBoundedLog({
      files,
      path: "/w/decisions.jsonl",
      schema: alertDecisionSchema,
      maxEntries: 100,
    }),
    onDecision: (decision) => void decided.push(decision),
    ...(check && { check }),
    events: {
      onEvent: (listener) => {
        emit = listener;
        return () => undefined;
      },
    },
    channels: [...channels, { name: "paper", send: async (alert) => void sent.push(alert) }],
    log: await openBoundedLog({ files, path: "/w/alerts.jsonl", schema: alertSchema, maxEntries: 1000 }),
    clock,
    ids: createCountingIds(),
    onProblem: (message) => problems.push(message),
  });
  const happen: Setup["happen"] = (kind, more = {}) => {
    events += 1;
    emit({
      id: `event_${events}`,
      kind,
      timestamp: new Date(clock.now()).toISOString(),
      camera: "street",
      pipeline_id: "pipe_1",
      frame_number: 1,
      text: "It happened.",
      ...more,
    });
  };
  return { router, files, sent, problems, decided, happen, pass: (ms) => clock.advance(ms) };
}
