import type { Alert, Change, WatchWhy } from "@vision-agent/protocol";
import { expect, it } from "vitest";
import type { AlertDecision } from "../../../alerts/alert-decision.ts";
import { countingStatus, createOfflineApp, fakeEvent, NOW } from "../../../testing/fake-offline-app.ts";
import { testWordings } from "../../../testing/play-wordings.ts";

const at = (time: string): string => `2026-03-10T${time}:00.000Z`;
const alert = (time: string, over: Partial<Alert> = {}): Alert => ({
  id: `alert_${time}`,
  severity: "info",
  timestamp: at(time),
  camera: "dock",
  text: "A person appeared on dock.",
  event_id: `event_${time}`,
  watch_id: "watch_1",
  held_back: 0,
  ...over,
});
const decision = (time: string, over: Partial<AlertDecision> = {}): AlertDecision => ({
  event_id: `event_${time}`,
  camera: "dock",
  kind: "condition_true",
  timestamp: at(time),
  watch_id: "watch_1",
  reason: 'The watch "people on dock" told 20 s before, and its cooldown is 30 s.',
  failures: [],
  ...over,
});
const fired = (time: string) => fakeEvent({ at: time, id: `event_${time}`, kind: "condition_true", camera: "dock" });
const told = {
  alerts: [alert("13:00"), alert("09:00")],
  decisions: [
    decision("09:00", { alert_id: "alert_09:00", reason: "It was asked for." }),
    decision("13:00", { alert_id: "alert_13:00", reason: 'The watch "people on dock" asked for it.' }),
    decision("13:01", { gate: "cooldown" }),
  ],
  events: [fired("09:00"), fired("13:00"), fired("13:01")],
};
const cooled: WatchWhy = {
  watch_id: "watch_1",
  words: "people on dock",
  outcome: "not_told",
  gates: [{ gate: "cooldown", passed: false, found: 20, needed: 30, unit: "s" }],
  change: { changes: { cooldown_seconds: 20 } },
};
const muted: WatchWhy = {
  ...cooled,
  gates: [{ gate: "muted", passed: false, needed: at("18:00") }],
  change: { changes: { muted_until: null } },
};
const WATCH = "tell me when a person appears on dock";

const FOOTAGE = { footage: { from: at("00:00"), to: at("15:30"), seconds: 55_800 } };
const REPLAYED = {
  ...FOOTAGE,
  seen: 5,
  sent: 2,
  suppressed: [{ gate: "cooldown", count: 3 }],
  alerts: [
    { change: "lost" as const, alert: { ...alert("14:01"), at: at("14:01") } },
    { change: "same" as const, alert: { ...alert("14:05"), at: at("14:05") } },
  ],
};

const LINE = "line 0.500 0.000 0.500 1.000";
const DOOR = "line 0.200 0.500 0.400 0.500";
const crossed = (time: string, direction: "in" | "out", area = LINE) =>
  fakeEvent({ at: time, kind: "line_crossed", direction, area });
const oneLine = [crossed("09:00", "in"), crossed("09:01", "in"), crossed("09:02", "out")];
const DOOR_LINE = {
  name: "door",
  kind: "line" as const,
  points: [
    [0.2, 0.5],
    [0.4, 0.5],
  ] as [[number, number], [number, number]],
  directions: { in: "entering", out: "leaving" },
};

testWordings({
  "crossings, line by line": [
    {
      say: "how many people came in today?",
      does: [],
      app: { events: oneLine },
      says: /^2 people went in across a vertical line through the middle of the picture on street today: 2 in \(from left to right\)\./,
    },
    {
      say: "how many people crossed today?",
      does: [],
      app: { events: oneLine },
      says: /^3 people crossed a vertical line .* on street today: 2 in \(from left to right\), 1 out \(from right to left\)\./,
    },
    {
      say: "how many people crossed today?",
      does: [],
      app: { events: [...oneLine, crossed("10:00", "out", DOOR)], places: { street: [DOOR_LINE] } },
      says: /^Several lines counted people today, and "in" is not the same way at each:\n- a vertical line .* on street: 2 in \(from left to right\), 1 out \(from right to left\)\n- "door" on street: 0 in \(entering\), 1 out \(leaving\)\n/,
      saysNot: /4 people/,
    },
    {
      say: "how many people came in?",
      does: [],
      app: { events: oneLine },
      says: /^2 people went in .* today: /,
    },
    { say: "how many people came in?", does: [], says: /no people on record today/ },
    {
      say: "how many people came in?",
      does: [],
      app: { events: oneLine, running: [countingStatus()] },
      says: /^2 people went in .* today: /,
    },
  ],
  "what would have been": [
    {
      say: [WATCH, "what would have happened today if the cooldown was 5 minutes?"],
      does: [["create_watch", {}]],
      asks: [["preview_watch", { watch_id: "watch_1", changes: { cooldown_seconds: 300 } }]],
      app: { replayed: REPLAYED },
      says: /^If the cooldown was 5 minutes: "tell me when a person appears on dock" would have sent 2 alerts today; it came true 5 times\. Held back: 3 by cooldown\. Against the watch as it is: 0 more, 1 fewer, 0 at another time\. Looked at: 00:00 to 15:30\.\n- 14:05 dock: A person appeared on dock\.$/,
    },
    {
      say: [WATCH, "what would have happened today with a cooldown of 10 minutes?"],
      does: [["create_watch", {}]],
      asks: [["preview_watch", { changes: { cooldown_seconds: 600 } }]],
    },
    {
      say: [WATCH, "how often would it have fired today if it was only for cars?"],
      does: [["create_watch", {}]],
      asks: [["preview_watch", { changes: { classes: ["car"] } }]],
    },
    {
      say: [WATCH, "what would have happened today if I had a better camera?"],
      does: [["create_watch", {}]],
      says: /^I did not understand what should be different: "I had a better camera"\./,
    },
    {
      say: [WATCH, "what would have happened today?"],
      does: [["create_watch", {}]],
      asks: [["preview_watch", { changes: {} }]],
      app: { replayed: FOOTAGE },
      says: /^"tell me when a person appears on dock" would have sent 0 alerts today; it came true not once\. Looked at/,
    },
  ],
  "alerts that were sent, held back and seen are three numbers": [
    {
      say: "how many times did you alert me today?",
      does: [],
      app: told,
      says: /^2 alerts sent today, 1 held back; 3 seen in all\.\n- 09:00 dock: .*\n- 13:00 dock: .*$/,
    },
    {
      say: "which alerts were held back today?",
      does: [],
      app: told,
      says: /^2 alerts sent today, 1 held back;.*\n- 13:01 dock: The watch "people on dock" told 20 s before/,
    },
    { say: "did you tell me about the person?", does: [], app: told, says: /^2 alerts sent so far/ },
    { say: "how many alerts did I get today?", does: [], app: told, says: /^2 alerts sent today, 1 held back;/ },
    { say: "show me the alerts of today", does: [], says: /^No alert was sent today, and none held back\.$/ },
  ],
  "why, of one minute": [
    {
      say: [WATCH, "why didn't you tell me about the person at 14:05 on dock?"],
      does: [["create_watch", {}]],
      asks: [["explain_event", { camera: "dock", at: "2026-03-10T14:05:30.000Z" }]],
      app: { why: () => ({ watches: [cooled] }) },
      says: /^dock, 14:05:\n- "people on dock" did not tell: the last alert was 20 s before, and its cooldown is 30 s\. It would have told with a cooldown of 20 s\.$/,
    },
    {
      say: [WATCH, "why was I not told at 14:05?"],
      does: [["create_watch", {}]],
      asks: [["explain_event", { camera: "dock" }]],
      app: { why: () => ({ watches: [muted] }) },
      says: /it was muted until 18:00\. It would have told with no mute\.$/,
    },
    { say: "why was I not told at 14:05?", does: [], says: /^Nothing is watched/ },
  ],
  "why, of the last one": [
    {
      say: [WATCH, "why was it suppressed?"],
      does: [["create_watch", {}]],
      asks: [["explain_event", { id: "event_13:01" }]],
      app: { ...told, why: () => ({ watches: [cooled] }) },
      says: /^The last one held back was at 13:01 on dock: .*\n- "people on dock" did not tell: .*cooldown of 20 s\.$/,
    },
    {
      say: [WATCH, "why was it suppressed?"],
      does: [["create_watch", {}]],
      app: { decisions: [decision("13:01", { gate: "cooldown", kind: "line_crossed", watch_id: undefined })] },
      says: /^The last one held back was at 13:01 on dock: [^\n]*$/,
    },
    {
      say: [WATCH, "why did you alert me?"],
      does: [["create_watch", {}]],
      app: { ...told, why: () => ({ decisions: told.decisions }) },
      says: /^The last alert was at 13:00, dock: A person appeared on dock\. The watch "people on dock" asked for it\.$/,
    },
    {
      say: [WATCH, "why did you tell me nothing?"],
      does: [["create_watch", {}]],
      says: /^Nothing was held back today, and no watch saw what it waits for\. .*"why didn't you tell me at 15:20 on dock\?"$/,
    },
  ],
  "a picture that is not of now": [
    {
      say: "what do you see on street?",
      does: [],
      app: { trouble: { state: "frozen", since: at("14:02") } },
      says: /^street has shown the same picture since 14:02, so this is not what is there now\. On that picture I see 3 people and 1 car\./,
    },
    {
      say: "is there a person on street?",
      does: [],
      app: { trouble: { state: "covered" } },
      says: /^street has been covered for a while/,
      saysNot: /Yes|at this moment/,
    },
    { say: "what do you see on street?", does: [], says: /^On street I see/ },
    { say: "what do you see?", does: [], says: /^On street I see .*\nOn dock I see .*\nOn yard I see / },
  ],
  "a camera that there is not": [
    { say: "are you watching the garage?", does: [], says: /"garage".*street, dock, yard/ },
    { say: "is the garage being watched?", does: [], says: /"garage".*street, dock, yard/ },
    { say: "is everything ok?", does: [], says: /^street gives pictures\./ },
    {
      say: "is everything ok?",
      does: [],
      app: { trouble: { state: "frozen", since: at("14:02") } },
      says: /^street has shown the same picture since 14:02/,
      saysNot: /gives pictures/,
    },
    {
      say: [WATCH, "delete all my watches"],
      does: [
        ["create_watch", {}],
        ["remove_watch", {}],
      ],
    },
    {
      say: ["every morning at 8 tell me what happened", "which tasks are there?"],
      does: [["schedule_task", {}]],
      says: /every day at 08:00 \(UTC\)\. Next: tomorrow 08:00\./,
    },
    { say: "are you watching the street?", does: [], says: /^Nothing is watched on street\./ },
    { say: [WATCH, "are you watching the dock?"], does: [["create_watch", {}]], says: /^1 watch:/ },
    { say: [WATCH, "what r u watching"], does: [["create_watch", {}]], says: /^1 watch:/ },
  ],
  "modes and mutes": [
    {
      say: "what mode is it?",
      does: [],
      says: /^The mode is home\. No watch is quiet in it\. There are home, away and night\.$/,
    },
    { say: "what modes are there?", does: [], says: /^The mode is home\./ },
    { say: "im home", does: [], says: /^Should I set the mode to home\?$/ },
    { say: ["we're leaving", "yes"], does: [["set_mode", { mode: "away" }]], says: /^The mode is away\.$/ },
    {
      say: "set mode to vacation",
      does: [],
      says: /^There is no mode "vacation" yet.* There are home, away and night\. Should I set the mode to vacation all the same\?$/,
    },
    { say: ["switch to vacation mode", "yes"], does: [["set_mode", { mode: "vacation" }]] },
    { say: ["set mode to vacation", "no"], does: [] },
    { say: "which mode are we in", does: [], says: /^The mode is home\./ },
    { say: "what's muted?", does: [], says: /^Nothing is watched, so nothing is muted\.$/ },
    { say: [WATCH, "what's muted?"], does: [["create_watch", {}]], says: /^Nothing is muted\.$/ },
    {
      say: [WATCH, "mute it for 2 hours", "what is muted"],
      does: [
        ["create_watch", {}],
        ["mute_watch", {}],
      ],
      says: /^Muted, and no other watch is there:\n- "tell me.*muted until 17:30$/,
    },
  ],
});

it("says the true number of changes, and that the last of them are shown", async () => {
  const changes = Array.from(
    { length: 240 },
    (_, index): Change => ({
      ...{ kind: "created", what: "watch", id: `watch_${index}`, name: "x", text: `Created watch ${index}.` },
      ...{ link: "/", at: new Date(NOW - (240 - index) * 1000).toISOString() },
      ...{ run_id: "r", session_id: "s", call_id: `c${index}`, tool: "create_watch" },
    }),
  );
  const { ask } = createOfflineApp({ changes });
  const [head, ...lines] = (await ask("what did you change today?")).split("\n");
  expect(head).toBe("240 changes today, the last 20:");
  expect(lines).toHaveLength(20);
  expect(lines.at(-1)).toBe("- 15:29 Created watch 239.");
});

it("says since when a count runs", async () => {
  const { ask } = createOfflineApp({ running: [countingStatus({ started_at: at("09:12") })] });
  expect(await ask("how many cars came in?")).toContain("since it started (09:12), 4 in and 2 out");
});
