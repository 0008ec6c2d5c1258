// questions about what is set up and the app itself → lists, health, cost and delivery
import type { SceneEvent, WatchReport } from "@vision-agent/protocol";
import { NO_PIPELINES } from "../../../tools/pipeline-tools.ts";
import { counted, eventInWords, momentInWords, watchInWords } from "../answers/findings.ts";
import { happening, slotsOfWatch } from "../answers/watch-words.ts";
import type { Known, Slots } from "../intent.ts";
import { lately, type Period, type WallClock } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { everSince } from "./past.ts";
import {
  type App,
  dataOf,
  failure,
  need,
  type Outcome,
  type Plan,
  type PlannedCall,
  say,
  type Wish,
  type WishOf,
} from "./plan.ts";

const UNKNOWN = { failed: "I could not find out" };

export function* planList({ clause: { act, slots } }: WishOf<"list">, { known, clock }: App): Plan {
  switch (act.what) {
    case "cameras": {
      const unknown = slots.unknownCamera === undefined ? "" : `No camera is called "${slots.unknownCamera}".`;
      return say(unknown, camerasInWords(known));
    }
    case "tasks":
      return say((yield* need("list_tasks", UNKNOWN)).text);
    case "changes": {
      const { cameras, period = lately(clock) } = slots;
      const args = { since: period.from, until: period.to };
      const { changes } = yield* need("list_changes", { args, ...UNKNOWN });
      const asked = changes.filter(({ text }) => cameras.length === 0 || cameras.some((name) => text.includes(name)));
      const what = cameras.length === 0 ? period.words : `about ${joinWords(cameras)} ${period.words}`;
      if (asked.length === 0) return say(`I changed nothing ${what}.`);
      const lines = asked.map(({ at, text }) => `- ${momentInWords(at, clock)} ${text}`);
      return say([`${counted(asked.length, "change")} ${what}:`, ...lines].join("\n"));
    }
    case "alerts": {
      const period = slots.period ?? everSince(clock);
      const { args } = firedSearch(period, slots, 10);
      const { events } = yield* need("search_events", { args, ...UNKNOWN });
      if (events.length === 0) return say(`No watch has come true ${period.words}.`);
      return say(`What watches told of ${period.words}, newest first:\n${eventLines(events, clock)}`);
    }
    case "watches": {
      const { watches } = yield* need("list_watches", UNKNOWN);
      const asked = watches.filter(({ cameras }) => cameras.some((camera) => isAsked(camera, slots)));
      if (asked.length === 0) return say('Nothing is watched. "What is running?" lists the pipelines.');
      return say([`${counted(asked.length, "watch", "watches")}:`, ...asked.map(watchLine)].join("\n"));
    }
    case "pipelines": {
      const { pipelines } = yield* need("list_pipelines", UNKNOWN);
      const asked = pipelines.filter(({ video_reference }) => isAsked(video_reference, slots));
      if (asked.length === 0) return say(NO_PIPELINES);
      const lines = asked.map(({ name, video_reference, status }) => `- ${name} on ${video_reference}: ${status}`);
      return say([`${counted(asked.length, "pipeline")}:`, ...lines].join("\n"));
    }
  }
}

function camerasInWords({ cameras }: Known): string {
  const names = cameras.map(({ name }) => name);
  if (names.length === 0) return "No camera is set up yet. Add one to CAMERAS.md in the workspace.";
  return names.length === 1
    ? `There is one camera: ${names[0]}.`
    : `There are ${names.length} cameras: ${joinWords(names)}.`;
}

function isAsked(camera: string, { cameras }: Slots): boolean {
  return cameras.length === 0 || cameras.includes(camera);
}

function watchLine(watch: WatchReport): string {
  return watchInWords(watch, happening(slotsOfWatch(watch)));
}

function eventLines(events: readonly SceneEvent[], clock: WallClock): string {
  return events.map((event) => eventInWords(event, clock)).join("\n");
}

/** When watches came true. */
function firedSearch({ from, to }: Period, { cameras }: Slots, most: number): PlannedCall {
  return { tool: "search_events", args: { kind: "condition_true", from, to, max_results: most, camera: cameras[0] } };
}

/** Why somebody was told, or was not: the watches there are, and when each came true. */
export function* planWhy({ clause: { slots, bare } }: Wish, { clock }: App): Plan {
  const period = slots.period ?? lately(clock);
  const [camera] = slots.cameras;
  const [list, fired] = yield [{ tool: "list_watches", args: {} }, firedSearch(period, slots, 5)];
  const all = dataOf(list, "list_watches")?.watches;
  if (all === undefined) return failure(UNKNOWN.failed, list);
  const watches = all.filter(({ cameras }) => camera === undefined || cameras.includes(camera));
  if (watches.length === 0)
    return say(
      `Nothing is watched${camera === undefined ? "" : ` on ${camera}`}, so nobody was told by a watch. Say "tell me when a person appears" to begin.`,
    );
  const events = dataOf(fired, "search_events")?.events ?? [];
  const head = /\b(?:not|n't|never|nothing|no)\b|n't\b/.test(bare)
    ? "You are told when one of these comes true, in its hours, and not again within its cooldown:"
    : "You were told because one of these came true:";
  const proof =
    events.length === 0
      ? `None came true ${period.words}.`
      : `Came true ${period.words}:\n${eventLines(events, clock)}`;
  return say([head, ...watches.map(watchLine), proof].join("\n"));
}

/** More cameras than this are not all opened for one question. */
const MOST_LOOKS = 6;

/** Whether cameras give pictures now, and which went down. */
export function* planHealth({ clause: { slots } }: Wish, { known, clock }: App): Plan {
  if (slots.unknownCamera !== undefined && slots.cameras.length === 0)
    return say(`No camera is called "${slots.unknownCamera}".`);
  const named = slots.cameras.length > 0 ? slots.cameras : known.cameras.map(({ name }) => name);
  const cameras = named.slice(0, MOST_LOOKS);
  if (cameras.length === 0) return say("No camera is set up yet.");
  const period = slots.period ?? lately(clock);
  const [running, down, ...looks] = yield [
    { tool: "list_pipelines", args: {} },
    { tool: "search_events", args: { kind: "camera_down", from: period.from, to: period.to, max_results: 20 } },
    ...cameras.map((camera) => ({ tool: "capture_frame", args: { camera } })),
  ];
  const pipelines = dataOf(running, "list_pipelines")?.pipelines ?? [];
  const lines = cameras.map((camera, at) => {
    const pipeline = pipelines.find(({ video_reference }) => video_reference === camera);
    const rate = pipeline === undefined ? "" : `, ${pipeline.status} at ${pipeline.fps.toFixed(1)} frames a second`;
    const look = looks[at];
    return look?.ok === true ? `${camera} gives pictures${rate}.` : `${camera} gives no picture: ${look?.text ?? ""}`;
  });
  const events = (dataOf(down, "search_events")?.events ?? []).filter(({ camera }) => cameras.includes(camera));
  const failed =
    events.length === 0
      ? `No camera went down ${period.words}.`
      : `Down ${period.words}: ${joinWords([...new Set(events.map(({ camera }) => camera))])}.`;
  const trouble = pipelines
    .filter(({ status }) => status === "failed" || status === "reconnecting")
    .map(({ name, status, reason = "" }) => `${name} is ${status}. ${reason}`.trim());
  return say(...lines, ...trouble, failed);
}

/** What was paid to models. */
export function tellCost({ clause: { slots } }: Wish, { known, clock }: App): Outcome {
  if (known.usage === undefined) return say("I have no record of costs here. I myself cost nothing.");
  const { days, limitMicroUsd } = known.usage;
  const period = slots.period ?? lately(clock);
  const inPeriod = days.filter(({ day }) => day >= period.from.slice(0, 10) && day <= period.to.slice(0, 10));
  const cost = inPeriod.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
  const calls = inPeriod.reduce((sum, day) => sum + day.calls, 0);
  const tokens = inPeriod.reduce((sum, day) => sum + day.inputTokens + day.outputTokens, 0);
  return say(
    `Models cost ${dollars(cost)} ${period.words}: ${calls} calls, ${tokens} tokens.`,
    `The daily limit is ${dollars(limitMicroUsd)}, set by llm.cost_limit_daily in config.yaml.`,
    "I, the offline interpreter, cost nothing.",
  );
}

function dollars(microUsd: number): string {
  return `${(microUsd / 1e6).toFixed(2)} USD`;
}

/** Whether the last alerts got through. */
export function tellDelivery({ clause: { slots } }: Wish, { known }: App): Outcome {
  const { period } = slots;
  const asked = (known.alerts ?? []).filter(
    ({ camera, timestamp }) =>
      isAsked(camera, slots) && (period === undefined || (timestamp >= period.from && timestamp < period.to)),
  );
  const [last] = asked;
  const where = slots.cameras.length === 0 ? "" : ` about ${joinWords(slots.cameras)}`;
  if (last === undefined)
    return say(`No alerts${where} ${period?.words ?? "so far"}, so there was nothing to deliver.`);
  const failed = asked.filter(({ failures }) => failures.length > 0);
  const reasons = last.failures.map(({ channel, reason }) => `${channel} (${reason})`);
  const got =
    reasons.length === 0 ? "It went out on every channel." : `It did not get through on ${joinWords(reasons)}.`;
  const rest =
    asked.length > 1 ? `Of the last ${asked.length} alerts, ${failed.length || "none"} failed to go out.` : "";
  return say(`The last alert${where} was at ${last.timestamp}: ${last.text}`, got, rest);
}
