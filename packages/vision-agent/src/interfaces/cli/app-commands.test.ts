import type { Pause, RunOutcome, SceneEvent, WatchReplay, WatchReport } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { type FakeClient, fakeClient } from "../../testing/fake-api-client.ts";
import { fakeStatus } from "../../testing/fake-app.ts";
import { type AppCommand, isAsleep, runAppCommand } from "./app-commands.ts";
import { toDate } from "./list-text.ts";
import { parseWhen } from "./parse-when.ts";

const NOW = new Date(2026, 4, 20, 12, 0).getTime();
const TS = new Date(2026, 4, 20, 9, 30).toISOString();

describe("camera mask", () => {
  const door = { name: "front door", source: "rtsp://cam", location: "", notes: "" };
  const place = "/api/cameras/front%20door";
  const masks = [
    [
      [0, 0],
      [0.4, 0],
      [0.4, 0.3],
    ],
    [
      [0.8, 0],
      [1, 0],
      [1, 0.25],
    ],
  ];
  const typedMask = (options: Readonly<Record<string, string>>) => ({ ...typed("camera mask", "front door"), options });

  it("shows, sets and clears the masks of a camera", async () => {
    const shown = await run(typedMask({}), { [`GET ${place}`]: [{ ...door, masks }] });
    expect(shown.out).toBe("front door is masked here:\n  0,0 0.4,0 0.4,0.3\n  0.8,0 1,0 1,0.25\n");
    const set = await run(typedMask({ set: "0,0 0.4,0 0.4,0.3; 0.8,0 1,0 1,0.25" }), {
      [`PATCH ${place}`]: [{ ...door, masks }],
    });
    expect(set.client.asked).toEqual([[`PATCH ${place}`, { masks }]]);
    const cleared = await run(typedMask({ clear: "true" }), { [`PATCH ${place}`]: [door] });
    expect(cleared.client.asked).toEqual([[`PATCH ${place}`, { masks: [] }]]);
    expect(cleared.out).toBe("front door has no masks: all of its picture is seen.\n");
  });

  it.each(["0,0 1,1", "0,0 0.5,2 1,1", "0,0 a,b 1,1", "0,0 0.5 1,1", "0,0 0.1,0.2,0.3 1,1", "0,0 ,1 1,1", ""])(
    "says what is wrong with %j, and changes nothing",
    async (set) => {
      await expect(run(typedMask({ set }), {})).rejects.toThrow(/corner/);
    },
  );
});

describe("camera record", () => {
  it("turns it on and off, shows it, and says why nothing is copied", async () => {
    const path = "/api/cameras/gate/recording";
    const recording = { camera: "gate", on: true, bytes: 2_500_000, since: TS };
    const on = await run(typed("camera record", "gate", "on"), { [`PUT ${path}`]: [recording] });
    expect(on.client.asked).toEqual([[`PUT ${path}`, { on: true }]]);
    expect(on.out).toMatch(/^gate is recorded\. There are 3 MB since /);
    const reason = "It has masks.";
    const masked = await run(typed("camera record", "gate"), {
      [`GET ${path}`]: [{ camera: "gate", on: true, reason, bytes: 0 }],
    });
    expect(masked.out).toBe("gate is not recorded: It has masks.\n");
    await expect(run(typed("camera record", "gate", "perhaps"), {})).rejects.toThrow(/neither on nor off/);
  });
});

describe("replay", () => {
  const alert = { at: TS, camera: "street", severity: "info", text: "A car appeared on street." } as const;
  const replay: WatchReplay = {
    words: "a car",
    against: "w1",
    footage: { from: TS, to: TS, seconds: 700 },
    judged_on: "footage",
    asked_seconds: 900,
    gaps: [{ camera: "street", from: TS, to: TS }],
    seen: 2,
    sent: 1,
    sent_per_day: 123.4,
    suppressed: [{ gate: "cooldown", count: 1 }],
    alerts: [
      { change: "gained", alert },
      { change: "lost", alert },
    ],
    not_judged: [],
  };
  const typedReplay = (footage: string, options: Readonly<Record<string, string>>) => ({
    ...typed("replay", footage),
    options,
  });

  it("asks for a period with a change of a watch, and marks what is gained and lost", async () => {
    const answers = { "POST /api/watches/preview": [replay] };
    const change = '{"cooldown_seconds": 60}';
    const { out, client } = await run(typedReplay("08:00/12:00", { watch: "w1", change, camera: "street" }), answers);
    const [from, to] = ["08:00", "12:00"].map((time) => parseWhen(time, NOW));
    expect(client.asked).toEqual([
      ["POST /api/watches/preview", { watch: "w1", changes: { cooldown_seconds: 60 }, camera: "street", from, to }],
    ]);
    expect(out).toMatch(/^\+ .* {2}street {2}A car appeared on street\.$/m);
    expect(out).toMatch(/^- .* {2}street {2}A car appeared on street\.$/m);
    expect(out).toContain("Against w1 as it is: 1 gained, 1 lost, 0 moved, 0 the same.\n");
    const json = await run(
      typedReplay("yesterday", { watch: "w1" }),
      { "POST /api/watches/preview": [replay] },
      { json: true },
    );
    expect(JSON.parse(json.out)).toEqual(replay);
  });

  it("asks for the recorded footage of a period, says how much there was, and refuses that of a video", async () => {
    const answers = { "POST /api/watches/preview": [replay] };
    const { out, client } = await run(typedReplay("08:00/12:00", { watch: "w1", footage: "true" }), answers);
    const [from, to] = ["08:00", "12:00"].map((time) => parseWhen(time, NOW));
    expect(client.asked).toEqual([["POST /api/watches/preview", { watch: "w1", from, to, footage: true }]]);
    expect(out).toMatch(/^Judged on what was recorded: 700 of 900 s\.\nNot recorded: street .* to .*\.$/m);
    await expect(run(typedReplay("a.mp4", { watch: "w1", footage: "true" }), {})).rejects.toThrow(/for a period/);
  });

  it("takes a video file by its whole path, and a watch from a file, and says that it works on it", async () => {
    const answers = { "POST /api/watches/preview": [replay] };
    const { client, waited } = await run(
      typedReplay("/clips/a.mp4", { watch: "car.json", starts: "2026-05-20T22:00" }),
      answers,
    );
    expect(waited).toEqual(["Replaying /clips/a.mp4", "done"]);
    const starts = parseWhen("2026-05-20T22:00", NOW);
    expect(client.asked).toEqual([["POST /api/watches/preview", { watch: PROPOSED, starts, clip: "/clips/a.mp4" }]]);
  });

  it.each(['{"words": 1}', "{", '{"words":"x","cameras":["street"],"classes":[],"condition":{"kind":"flies"}}'])(
    "says what is wrong with the watch %s",
    async (watchText) => {
      await expect(run(typedReplay("today", { watch: watchText }), {})).rejects.toThrow(/^--watch/);
    },
  );
});

describe("why", () => {
  it("says for each watch which gate said no, and what would change that", async () => {
    const gates = [
      { gate: "frame", passed: true },
      { gate: "rule", passed: false, found: 42, needed: 60, unit: "s" },
    ];
    const watches = [
      {
        watch_id: "watch_1",
        words: "it stays",
        outcome: "not_told",
        gates,
        change: { changes: { cooldown_seconds: 5 } },
      },
      { watch_id: "watch_2", words: "it comes", outcome: "told", alert_id: "alert_1", gates: [] },
    ];
    const answer = { camera: "door", at: TS, decisions: [], suppressed: 0, watches };
    const command = { ...typed("why", "door", "2026-05-20T14:00"), options: { watch: "watch_1" } };
    const { out, client } = await run(command, { "GET /api/why": [answer] });
    expect(out).toBe(
      'watch_1  "it stays" did not tell: what it waits for did not quite happen: 42 of 60 s. It would have told with a cooldown of 5 s.\nwatch_2  "it comes": it told.\n',
    );
    expect(client.asked[0]?.[0]).toContain("watch=watch_1");
    const none = await run(typed("why", "door"), { "GET /api/why": [{ ...answer, watches: [] }] });
    expect(none.out).toBe("No watch looks at door.\n");
  });
});

describe("egress", () => {
  const departure = { at: TS, camera: "door", what: "picture", to: "api.example.com", kind: "model", why: "shown" };

  it("lists the pictures that left, and says so when none did", async () => {
    const left = [
      { ...departure, bytes: 12_345, artifact: "art_1" },
      { ...departure, camera: null, forgotten: true },
    ];
    const command = { ...typed("egress list"), options: { since: "2026-05-20", camera: "door", limit: "2" } };
    const { out, client } = await run(command, { "GET /api/egress": [{ departures: left, next: 2 }] });
    expect(out).toMatch(/door +12 kB +api\.example\.com +shown +art_1\n/);
    expect(out).toMatch(/forgotten +0 kB/);
    expect(out).toContain("There are more");
    const since = new Date(2026, 4, 20).toISOString();
    expect(client.asked[0]?.[0]).toContain(`since=${since}`);
    const none = await run(typed("egress list"), { "GET /api/egress": [{ departures: [], next: null }] });
    expect(none.out).toBe("No pictures have left this machine.\n");
  });

  it("changes a rule, and shows all", async () => {
    const rule = { camera: "door", destination: "api.example.com", images: "never", at: TS };
    const answers = { "POST /api/egress/rules": [{ usual: "ask", rules: [rule] }] };
    const { out, client } = await run(typed("egress never", "door", "api.example.com"), answers);
    expect(client.asked[0]?.[1]).toEqual({ camera: "door", destination: "api.example.com", images: "never" });
    expect(out).toMatch(/door +api\.example\.com +never/);
    expect(out).toContain("Everything else that would leave this machine: ask.");
  });
});

describe("forget", () => {
  const receipt = {
    preview: true,
    at: TS,
    scope: "door",
    removed: [
      { what: "events", count: 1, examples: ["door: a person came"] },
      { what: "notes", count: 0, examples: [] },
    ],
    not_covered: ["Backups."],
  };
  const forget = (options: AppCommand["options"]): AppCommand => ({ ...typed("forget"), options });

  it("shows what would go and waits for --yes", async () => {
    const answers = { "POST /api/forget": [receipt] };
    const shown = await run(forget({ camera: "door", from: "14:00" }), answers);
    expect([shown.code, shown.out]).toEqual([
      3,
      "This would be removed for good (door):\n  1 event\n      door: a person came\nNot covered:\n  Backups.\nTo remove it, add --yes.\n",
    ]);
    const from = new Date(2026, 4, 20, 14).toISOString();
    expect(shown.client.asked[0]?.[1]).toEqual({ camera: "door", from, preview: true });
    const done = { "POST /api/forget": [{ ...receipt, preview: false }] };
    const removed = await run(forget({ event: "e1", yes: "true" }), done);
    expect([removed.code, removed.client.asked[0]?.[1]]).toEqual([0, { event: "e1", preview: false }]);
    expect(removed.out).toContain("Removed (door):");
    const none = await run(forget({}), { "POST /api/forget": [{ ...receipt, removed: [] }] });
    expect([none.code, none.out]).toEqual([0, "There is nothing to forget: door.\n"]);
  });
});

describe("watch", () => {
  it("lists watches with how they are doing", async () => {
    const broken = watch({ id: "w2", state: { kind: "blind", text: "blind: dock: No such host." } });
    const { out } = await run(typed("watch list"), { "GET /api/watches": [[watch(), broken]] });
    expect(out).toContain("w1     on     street   2/1              2/1     a person appears\n");
    expect(out).toContain(
      "w2     blind  street   2/1              2/1     a person appears (blind: dock: No such host.)",
    );
    expect((await run(typed("watch list"), { "GET /api/watches": [[]] })).out).toContain("No watches yet.");
  });

  it("shows and sets what models may cost", async () => {
    const limit = { daily_usd: 5, monthly_usd: null };
    const replies = { "PUT /api/usage/limit": [limit] };
    const shown = await run(typed("limit"), replies);
    expect(shown.out).toBe("At most 5.00 USD a day, no limit a month.\n");
    expect(shown.client.asked[0]?.[1]).toEqual({});
    const set = await run(typed("limit", "5", "none"), replies);
    expect(set.client.asked[0]?.[1]).toEqual(limit);
  });

  it("is muted until a time and no longer, and the mode and places are shown", async () => {
    const muted = watch({ state: { kind: "muted", text: "muted until 2026-05-20T14:00:00.000Z" } });
    const mute = await run(typed("watch mute", "w1", "2026-05-20T14:00:00.000Z"), { "PATCH /api/watches/w1": [muted] });
    expect(mute.out).toBe('"a person appears" is muted until 2026-05-20T14:00:00.000Z.\n');
    expect(mute.client.asked[0]?.[1]).toEqual({ muted_until: "2026-05-20T14:00:00.000Z" });
    const ended = await run(typed("watch mute", "w1", "off"), { "PATCH /api/watches/w1": [watch()] });
    expect(ended.client.asked[0]?.[1]).toEqual({ muted_until: null });
    const schedule = [{ mode: "night", at: "22:00", days: ["sat"] }];
    const away = { mode: "away", since: TS, set_by: "person", schedule };
    expect((await run(typed("mode"), { "GET /api/mode": [away] })).out).toBe(
      "The mode is away.\n  night at 22:00 on sat\n",
    );
    expect((await run(typed("mode", "away"), { "PUT /api/mode": [away] })).client.asked[0]?.[1]).toEqual({
      mode: "away",
    });
    const places = [
      {
        name: "yard",
        kind: "zone",
        points: [
          [0, 0],
          [1, 0],
          [1, 1],
        ],
      },
    ];
    const listed = await run(typed("places", "dock"), { "GET /api/cameras/dock/places": [places] });
    expect(listed.out).toBe("yard  zone  0,0 1,0 1,1\n");
  });

  it("adds one in plain words, and shows what was made", async () => {
    const answers = {
      "GET /api/watches": [[], [watch()]],
      "POST /api/sessions/session_1/messages": [outcome({ text: "I will tell you." })],
    };
    const added = await run(typed("watch add", "a person appears on street"), answers);
    expect([added.code, added.out]).toEqual([0, "I will tell you.\n"]);
    expect(added.client.asked[1]?.[1]).toEqual({ text: "Tell me when a person appears on street" });
    const json = await run(typed("watch add", "watch street for cats"), answers, { json: true });
    expect(JSON.parse(json.out)).toMatchObject({ status: "finished", watches: [{ id: "w1" }] });
    expect(json.client.asked[1]?.[1]).toEqual({ text: "watch street for cats" });
  });

  it("fails where none was made, and says how to answer where one waits for a yes", async () => {
    const none = await run(typed("watch add", "it is nice"), {
      "GET /api/watches": [[]],
      "POST /api/sessions/session_1/messages": [outcome({ text: "Which camera?" })],
    });
    expect([none.code, none.out]).toEqual([1, "Which camera?\n"]);
    const waits = outcome({ status: "paused", text: "", reason: "May I?", pause_id: "p1" });
    const waiting = await run(typed("watch add", "a cat comes"), {
      "GET /api/watches": [[]],
      "POST /api/sessions/session_1/messages": [waits],
    });
    expect([waiting.code, waiting.out]).toEqual([3, "May I?\nAnswer with: vision-agent pauses answer p1 yes\n"]);
  });

  it.each([
    ["remove", "DELETE /api/watches/w%201", "is removed"],
    ["pause", "POST /api/watches/w%201/pause", "is paused"],
    ["resume", "POST /api/watches/w%201/resume", "goes on"],
  ] as const)("%ss one", async (verb, request, words) => {
    const { out, client } = await run(typed(`watch ${verb}`, "w 1"), { [request]: [watch()] });
    expect(client.asked).toEqual([[request]]);
    expect(out).toBe(`"a person appears" ${words}.\n`);
  });
});

describe("undo", () => {
  const step = { id: "undo_1", at: "2026-01-01T10:00:00.000Z", by: "anna", lines: ["Removed camera dock."] };

  it("undoes, does again, and says what came of it", async () => {
    const lines = ["Saved camera dock."];
    const undone = { step: { ...step, undone_at: step.at }, passed: ["Sent alert. That cannot be undone."], lines };
    const first = await run(typed("undo"), { "POST /api/undo": [undone] });
    expect(first.client.asked).toEqual([["POST /api/undo", {}]]);
    expect(first.out).toBe("Undone: Removed camera dock.\nSaved camera dock.\nSent alert. That cannot be undone.\n");
    const redo = { ...typed("undo", "undo_1"), options: { redo: "true" } };
    const again = await run(redo, { "POST /api/undo": [{ step, passed: [], lines: [] }] });
    expect(again.client.asked).toEqual([["POST /api/undo", { step: "undo_1", redo: true }]]);
    expect(again.out).toBe("Done again: Removed camera dock.\nIt was so already.\n");
  });

  it("lists what can be undone", async () => {
    const list = { ...typed("undo"), options: { list: "true" } };
    const steps = [
      { ...step, undone_at: step.at },
      { ...step, id: "undo_0", blocked: "It holds a secret." },
    ];
    const { out } = await run(list, { "GET /api/undo": [{ steps }] });
    expect(out).toMatch(/undo_1 +anna +Removed camera dock\. +undone\n.*undo_0 .*cannot be undone\n/);
    expect((await run(list, { "GET /api/undo": [{ steps: [] }] })).out).toBe(
      "Nothing was changed in the last 24 hours.\n",
    );
    await expect(run({ ...list, words: ["undo_1"] })).rejects.toThrow("Give --list alone.");
  });
});

describe("cameras", () => {
  it("are renamed and removed", async () => {
    const camera = { name: "bay", source: "sim://street", location: "", notes: "" };
    const renamed = await run(typed("camera rename", "dock", "bay"), { "PATCH /api/cameras/dock": [camera] });
    expect(renamed.client.asked).toEqual([["PATCH /api/cameras/dock", { name: "bay" }]]);
    expect(renamed.out).toContain("dock is called bay now");
    const forced = { ...typed("camera remove", "bay"), options: { force: "true" } };
    const removed = await run(forced, { "DELETE /api/cameras/bay": [camera] });
    expect(removed.client.asked).toEqual([["DELETE /api/cameras/bay?force=true"]]);
    expect(removed.out).toContain("bay is removed");
  });
});

describe("pipelines", () => {
  it("are listed, and stopped by name", async () => {
    expect((await run(typed("pipelines list"))).out).toContain("street-count  street  running  9.8 fps");
    const stopped = { "DELETE /api/pipelines/street-count": [fakeStatus({ status: "stopped" })] };
    const { out } = await run(typed("pipelines stop", "street-count"), stopped);
    expect(out).toBe("street-count is stopped.\n");
  });

  it("say why not", async () => {
    await expect(run(typed("pipelines pause", "x"))).rejects.toThrow("There is nothing at");
  });
});

describe("what happened", () => {
  it("asks for events with every filter, times in local time", async () => {
    const { out, client } = await run(
      {
        name: "events",
        words: [],
        options: { camera: "street", class: "person", from: "08:00", to: "2026-05-21", limit: "5" },
      },
      { "GET /api/events": [[event()]] },
    );
    const [from, to] = [new Date(2026, 4, 20, 8), new Date(2026, 4, 21)].map((date) => date.toISOString());
    expect(client.asked[0]?.[0]).toBe(`GET /api/events?camera=street&class=person&from=${from}&to=${to}&limit=5`);
    expect(out).toBe(`${toDate(TS)}  street  appeared  A person appeared. at/art_1\n`);
  });

  it("counts them by one or two names", async () => {
    const groups = [
      { day: "2026-05-20", direction: "in", count: 12 },
      { day: "2026-05-20", count: 3 },
    ];
    const { out, client } = await run(
      { name: "events", words: [], options: { by: "day,direction", camera: "street" } },
      { "GET /api/events": [{ total: 20, groups, groups_left_out: 4 }] },
    );
    expect(client.asked[0]?.[0]).toBe("GET /api/events?camera=street&group_by=day,direction");
    expect(out.split("\n")).toEqual([
      "2026-05-20  in  12",
      "2026-05-20  -   3",
      "and 4 more groups",
      "20 events in all",
      "",
    ]);
  });

  it("prints the same as JSON", async () => {
    const { out } = await run(
      { name: "events", words: [], options: { limit: "5" } },
      { "GET /api/events": [[event()]] },
      { json: true },
    );
    expect(JSON.parse(out)).toEqual([event()]);
  });

  it("searches memory with where each note stands, and says what it could not do", async () => {
    const answer = {
      passages: [{ text: "Bob drives a van.", path: "memory/KNOWLEDGE.md", line: 3, score: 1 }],
      notice: "By words only.",
    };
    const { out } = await run(typed("memory search", "van"), { "GET /api/memory": [answer] });
    expect(out).toBe("memory/KNOWLEDGE.md:3  Bob drives a van.\nBy words only.\n");
  });

  it("manages accounts, logins and links, and shows who changed what", async () => {
    const ben = { name: "ben", role: "viewer", cameras: ["street"], created_at: TS };
    const command = {
      name: "account add",
      words: ["ben"],
      options: { role: "viewer", cameras: "street, dock" },
    } as const;
    const added = await run(command, { "POST /api/accounts": [ben] });
    expect(added.client.asked).toEqual([
      ["POST /api/accounts", { name: "ben", password: "correct horse", role: "viewer", cameras: ["street", "dock"] }],
    ]);
    expect(added.out).toBe("ben can sign in as viewer.\n");
    const owner = { ...command, options: { role: "owner", cameras: "street" } };
    await expect(run(owner, {})).rejects.toThrow("An owner sees every camera");
    expect((await run(typed("account list"), { "GET /api/accounts": [[ben]] })).out).toMatch(/^ben +viewer +street /);
    const removed = await run(typed("account remove", "b n"), { "DELETE /api/accounts/b%20n": [ben] });
    expect(removed.out).toBe("ben is removed and signed out everywhere.\n");
    const changed = await run(typed("account password", "ben"), { "PATCH /api/accounts/ben": [ben] });
    expect(changed.client.asked[0]?.[1]).toEqual({ password: "correct horse" });
    const login = { id: "login_1", name: "ben", browser: "Firefox", last_used_at: TS, expires_at: TS };
    expect((await run(typed("logins list"), { "GET /api/logins": [[login]] })).out).toContain("login_1");
    expect((await run(typed("logins revoke", "login_1"), { "DELETE /api/logins/login_1": [login] })).out).toBe(
      "login_1 (ben) is signed out.\n",
    );
    const code = { url: "http://127.0.0.1:4750/login", code: "c0de", expires_at: TS };
    const link = await run(typed("link"), { "POST /api/login-codes": [code] });
    expect(link.out).toBe("http://127.0.0.1:4750/login?token=c0de\n");
    const entry = { at: TS, who: "ben", client: "127.0.0.1", request: "POST /api/x", status: 200 };
    const audit = await run(typed("audit"), { "GET /api/audit": [[{ ...entry, changes: [{ text: "Stopped it." }] }]] });
    expect(audit.out).toMatch(/ben +127\.0\.0\.1 +POST \/api\/x +200\n.*Stopped it\./);
  });

  it("lists alerts, sessions and usage", async () => {
    const alert = { timestamp: TS, severity: "warning", text: "A cat!" };
    expect(
      (await run({ name: "alerts", words: [], options: { limit: "1" } }, { "GET /api/alerts": [[alert]] })).out,
    ).toContain("A cat!");
    const session = { id: "session_9", updated_at: TS, title: "" };
    expect((await run(typed("sessions"), { "GET /api/sessions": [[session]] })).out).toMatch(/^session_9 .* -\n$/);
    const day = { day: "2026-05-20", turns: 1, calls: 3, input_tokens: 10, output_tokens: 5, cost_usd: 0.5 };
    const usage = {
      today: { ...day, limit_usd: 10 },
      days: [day],
      sessions: [{ ...day, session_id: "session_9", title: "Hello" }],
      watches: [{ ...day, watch_id: "watch_1", words: null }],
      turns: [{ ...day, run_id: "r", session_id: "session_9", ended_at: TS, model: "small-1", watch_ids: ["watch_1"] }],
    };
    const { out } = await run(typed("usage"), { "GET /api/usage": [usage] });
    expect(out).toContain("Today $0.50 of $10.00, 3 calls.");
    expect(out).toMatch(/^2026-05-20 +3 +10 +5 +\$0\.50$/m);
    expect(out).toMatch(/^session_9 +3 +10 +5 +\$0\.50 +Hello$/m);
    expect(out).toMatch(/^watch_1 +3 +10 +5 +\$0\.50 +\(removed\)$/m);
    expect(out).toMatch(/ \$0\.50 +small-1 in session_9$/m);
  });

  it("starts nothing where only what is stored is asked for", () => {
    const names = ["sessions", "usage", "pauses list", "watch list", "pipelines list"] as const;
    expect(names.map((name) => isAsleep(typed(name)))).toEqual([true, true, true, true, false]);
  });
});

describe("pauses", () => {
  it("are listed with what waits", async () => {
    const { out } = await run(typed("pauses list"), { "GET /api/pauses": [[pause("approval")]] });
    expect(out).toContain("May I stop it?\n  stop_pipeline {}\n");
  });

  it.each([
    ["approval", "yes", { decision: "approve" }],
    ["approval", "N", { decision: "deny" }],
    ["ask_user", "yes", { decision: "answer", text: "yes" }],
    ["ask_user", "the left door", { decision: "answer", text: "the left door" }],
  ] as const)("take an answer to %s: %s", async (kind, answer, body) => {
    const answers = { "GET /api/pauses": [[pause(kind)]], "POST /api/pauses/p1": [outcome({ text: "Done." })] };
    const { client, out } = await run(typed("pauses answer", "p1", answer), answers);
    expect(client.asked.at(-1)).toEqual(["POST /api/pauses/p1", body]);
    expect(out).toBe("Done.\n");
  });
});

describe("a time that a person types", () => {
  it.each(["yesterday-ish", "2026-02-31", "25:00", ""])("is refused with the ways to write it: %s", (text) => {
    expect(() => parseWhen(text, NOW)).toThrow("is no time: write 2026-05-20");
  });

  it("may be exact", () => {
    expect(parseWhen("2026-05-20T10:00:00+02:00", NOW)).toBe("2026-05-20T08:00:00.000Z");
  });
});

function typed(name: AppCommand["name"], ...words: string[]): AppCommand {
  return { name, words, options: {} };
}

async function run(command: AppCommand, answers: Readonly<Record<string, unknown>> = {}, { json = false } = {}) {
  const client: FakeClient = fakeClient([], answers);
  let out = "";
  const write = (text: string): void => {
    out += text;
  };
  const pictureAt = (id: string): string => `at/${id}`;
  const readPassword = async (): Promise<string> => "correct horse";
  const readFile = async (): Promise<Uint8Array> => new TextEncoder().encode(JSON.stringify(PROPOSED));
  const waited: string[] = [];
  const progress = {
    start: (label: string) => void waited.push(label),
    erase: () => undefined,
    stop: () => void waited.push("done"),
  };
  const options = { client, json, write, pictureAt, readPassword, readFile, progress, now: () => NOW };
  const code = await runAppCommand(options, command);
  return { code, out, client, waited };
}

const PROPOSED = {
  words: "a car",
  cameras: ["street"],
  classes: ["car"],
  condition: { kind: "appears" },
  cooldown_seconds: 30,
  severity: "info",
} as const;

function watch(over: Partial<WatchReport> = {}): WatchReport {
  return {
    id: "w1",
    words: "a person appears",
    cameras: ["street"],
    classes: ["person"],
    condition: { kind: "appears" },
    cooldown_seconds: 30,
    severity: "info",
    enabled: true,
    created_at: TS,
    state: { kind: "on", text: "on" },
    counts: { today: { seen: 2, suppressed: 1, sent: 1 }, total: { seen: 2, suppressed: 1, sent: 1 } },
    pipelines: [],
    ...over,
  };
}

function outcome(over: Partial<RunOutcome>): RunOutcome {
  return { status: "finished", text: "", images: [], reason: "complete", ...over };
}

function event(): SceneEvent {
  const base = { id: "e1", kind: "appeared", timestamp: TS, camera: "street", pipeline_id: "p" } as const;
  return { ...base, frame_number: 1, text: "A person appeared.", picture: "art_1" };
}

function pause(kind: Pause["kind"]): Pause {
  return {
    id: "p1",
    session_id: "s",
    run_id: "r",
    kind,
    prompt: "May I stop it?",
    choices: [],
    created_at: TS,
    expires_at: null,
    calls: [{ call_id: "c", tool: "stop_pipeline", arguments: "{}" }],
  };
}
