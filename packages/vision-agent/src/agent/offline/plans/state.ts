// questions about what is set up and the app itself → lists, health, cost and delivery
import { formatLocalTime } from "../../../tools/event-times.ts";
import { NO_PIPELINES } from "../../../tools/pipeline-tools.ts";
import { counted, eventInWords } from "../answers/findings.ts";
import { watchInWords } from "../answers/watch-words.ts";
import type { Slots } from "../intent.ts";
import { lately, type Period, type WallClock } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { everSince } from "./past.ts";
import { type App, dataOf, need, type Outcome, type Plan, type Steps, say, type Wish, type WishOf } from "./plan.ts";

const UNKNOWN = { failed: "I could not find out" };

export function* planList({ clause: { act, slots } }: WishOf<"list">, { known, clock }: App): Plan {
  switch (act.what) {
    case "cameras": {
      const names = known.cameras.map(({ name }) => name);
      const unknown = slots.unknownCamera === undefined ? "" : `No camera is called "${slots.unknownCamera}".`;
      if (names.length === 0) return say("No camera is set up yet. Add one to CAMERAS.md in the workspace.");
      const are = names.length === 1 ? "is one camera" : `are ${names.length} cameras`;
      return say(unknown, `There ${are}: ${joinWords(names)}.`);
    }
    case "tasks":
      return say((yield* need("list_tasks", UNKNOWN)).text);
    case "changes": {
      const { cameras, period = lately(clock) } = slots;
      const args = { since: period.from, until: period.to };
      const { changes } = yield* need("list_changes", { args, ...UNKNOWN });
      const asked = changes.filter(({ text }) => cameras.length === 0 || cameras.some((name) => text.includes(name)));
      const what = `${about(slots)}${period.words}`;
      if (asked.length === 0) return say(`I changed nothing ${what}.`);
      const lines = asked.map(({ at, text }) => `- ${formatLocalTime(at, clock.timeZone)} ${text}`);
      return say([`${counted(asked.length, "change")} ${what}:`, ...lines].join("\n"));
    }
    case "alerts": {
      const period = slots.period ?? everSince(clock);
      const lines = yield* searchFired(slots, period, clock);
      if (lines.length === 0) return say(`No watch has come true ${period.words}.`);
      return say([`What watches told of ${period.words}, newest first:`, ...lines].join("\n"));
    }
    case "watches": {
      const lines = yield* listWatches(slots);
      if (lines.length === 0) return say('Nothing is watched. "What is running?" lists the pipelines.');
      return say([`${counted(lines.length, "watch", "watches")}:`, ...lines].join("\n"));
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

function isAsked(camera: string, { cameras }: Slots): boolean {
  return cameras.length === 0 || cameras.includes(camera);
}

/** `about street `; empty when no camera is named. */
function about({ cameras }: Slots): string {
  return cameras.length === 0 ? "" : `about ${joinWords(cameras)} `;
}

function* listWatches(slots: Slots): Steps<readonly string[]> {
  const { watches } = yield* need("list_watches", UNKNOWN);
  const asked = watches.filter(({ cameras }) => cameras.some((camera) => isAsked(camera, slots)));
  return asked.map(watchInWords);
}

/** When watches came true. */
function* searchFired({ cameras }: Slots, { from, to }: Period, clock: WallClock): Steps<readonly string[]> {
  const args = { kind: "condition_true", from, to, max_results: 10, camera: cameras[0] };
  const { events } = yield* need("search_events", { args, ...UNKNOWN });
  return events.map((event) => eventInWords(event, clock));
}

/** Why somebody was told, or was not: the watches there are, and when each came true. */
export function* planWhy({ clause: { slots, bare } }: Wish, { clock }: App): Plan {
  const period = slots.period ?? lately(clock);
  const watches = yield* listWatches(slots);
  const fired = yield* searchFired(slots, period, clock);
  const where = slots.cameras.length === 0 ? "" : ` on ${joinWords(slots.cameras)}`;
  if (watches.length === 0)
    return say(
      `Nothing is watched${where}, so nobody was told by a watch. Say "tell me when a person appears" to begin.`,
    );
  const head = /\b(?:not|never|nothing|no)\b|n't\b/.test(bare)
    ? "You are told when one of these comes true, in its hours, and not again within its cooldown:"
    : "You were told because one of these came true:";
  const proof = fired.length === 0 ? `None came true ${period.words}.` : `Came true ${period.words}:`;
  return say([head, ...watches, proof, ...fired].join("\n"));
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
  const { from, to, words } = slots.period ?? lately(clock);
  const [running, down, ...looks] = yield [
    { tool: "list_pipelines", args: {} },
    { tool: "search_events", args: { kind: "camera_down", from, to, max_results: 20 } },
    ...cameras.map((camera) => ({ tool: "capture_frame", args: { camera } })),
  ];
  const pipelines = dataOf(running, "list_pipelines")?.pipelines ?? [];
  const fell = (dataOf(down, "search_events")?.events ?? []).map(({ camera }) => camera);
  const fallen = cameras.filter((camera) => fell.includes(camera));
  return say(
    ...cameras.map((camera, at) =>
      looks[at]?.ok === true ? `${camera} gives pictures.` : `${camera} gives no picture: ${looks[at]?.text ?? ""}`,
    ),
    ...pipelines
      .filter(({ video_reference }) => cameras.includes(video_reference))
      .map(
        ({ name, status, fps, reason = "" }) =>
          say(`${name} is ${status} at ${fps.toFixed(1)} frames a second.`, reason).text,
      ),
    fallen.length === 0 ? `No camera went down ${words}.` : `Down ${words}: ${joinWords(fallen)}.`,
  );
}

/** What was paid to models. */
export function tellCost({ clause: { slots } }: Wish, { known, clock }: App): Outcome {
  if (known.usage === undefined) return say("I have no record of costs here. I myself cost nothing.");
  const { from, to, words } = slots.period ?? lately(clock);
  const days = known.usage.days.filter(({ day }) => day >= from.slice(0, 10) && day <= to.slice(0, 10));
  const sum = (of: (day: (typeof days)[number]) => number): number => days.reduce((all, day) => all + of(day), 0);
  const tokens = sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens);
  return say(
    `Models cost ${dollars(sum(({ costMicroUsd }) => costMicroUsd))} ${words}: ${sum(({ calls }) => calls)} calls, ${tokens} tokens.`,
    `The daily limit is ${dollars(known.usage.limitMicroUsd)}, set by llm.cost_limit_daily in config.yaml.`,
    "I, the offline interpreter, cost nothing.",
  );
}

function dollars(microUsd: number): string {
  return `${(microUsd / 1e6).toFixed(2)} USD`;
}

/** Whether the last alerts got through. */
export function tellDelivery({ clause: { slots } }: Wish, { known, clock }: App): Outcome {
  const { from, to, words } = slots.period ?? everSince(clock);
  const asked = (known.alerts ?? []).filter(
    ({ camera, timestamp }) => isAsked(camera, slots) && timestamp >= from && timestamp < to,
  );
  const [last] = asked;
  if (last === undefined) return say(`No alerts ${about(slots)}${words}, so there was nothing to deliver.`);
  const failed = asked.filter(({ failures }) => failures.length > 0).length;
  const reasons = last.failures.map(({ channel, reason }) => `${channel} (${reason})`);
  return say(
    `The last alert ${about(slots)}was at ${last.timestamp}: ${last.text}`,
    reasons.length === 0 ? "It went out on every channel." : `It did not get through on ${joinWords(reasons)}.`,
    asked.length > 1 ? `Of the last ${asked.length} alerts, ${failed || "none"} failed to go out.` : "",
  );
}
