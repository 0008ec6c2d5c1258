// questions about what is set up and the app itself → lists, health, cost and delivery
import { troubleInWords } from "../../../scene/scene-words.ts";
import { NO_PIPELINES } from "../../../tools/pipeline-tools.ts";
import { formatMoment, formatTime } from "../../../workspace/format-time.ts";
import { counted } from "../answers/findings.ts";
import { watchInWords } from "../answers/watch-words.ts";
import type { Slots } from "../intent.ts";
import { lately, type WallClock } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { refuseUnknownCamera } from "./choose.ts";
import { everSince } from "./past.ts";
import {
  type App,
  dataOf,
  need,
  type Outcome,
  type Plan,
  say,
  type ToolAnswer,
  type Wish,
  type WishOf,
} from "./plan.ts";
import { modesOf } from "./quiet.ts";
import { planAlerts } from "./why.ts";

const UNKNOWN = { failed: "I could not find out" };
const MOST_CHANGES = 20;

export function* planList(wish: WishOf<"list">, app: App): Plan {
  const { act, slots } = wish.clause;
  const { known, clock } = app;
  if (act.what !== "cameras") yield* refuseUnknownCamera(slots, known);
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
      const { changes, total } = yield* need("list_changes", { args, ...UNKNOWN });
      const asked = changes.filter(({ text }) => cameras.length === 0 || cameras.some((name) => text.includes(name)));
      const what = `${about(slots)}${period.words}`;
      const among = cameras.length > 0 && total > changes.length ? ` among the last ${changes.length} changes` : "";
      if (asked.length === 0) return say(`I changed nothing ${what}${among}.`);
      const lines = asked.slice(-MOST_CHANGES).map(({ at, text }) => `- ${formatTime(at, clock)} ${text}`);
      const figure = counted(cameras.length === 0 ? total : asked.length, "change");
      const cut = lines.length < total && lines.length < Number.parseInt(figure) ? `, the last ${lines.length}` : "";
      return say([`${figure} ${what}${among}${cut}:`, ...lines].join("\n"));
    }
    case "alerts":
      return yield* planAlerts(wish, app);
    case "watches": {
      const { watches } = yield* need("list_watches", UNKNOWN);
      const asked = watches.filter(({ cameras }) => cameras.some((camera) => isAsked(camera, slots)));
      if (asked.length === 0)
        return say(`Nothing is watched${onCameras(slots)}. "What is running?" lists the pipelines.`);
      return say(
        [`${counted(asked.length, "watch", "watches")}:`, ...asked.map((one) => watchInWords(one, clock))].join("\n"),
      );
    }
    case "muted": {
      const { watches } = yield* need("list_watches", UNKNOWN);
      const muted = watches.filter(({ state }) => state.kind === "muted");
      const others = watches.length - muted.length;
      if (muted.length === 0)
        return say(watches.length === 0 ? "Nothing is watched, so nothing is muted." : "Nothing is muted.");
      return say(
        [
          `Muted, ${others === 0 ? "and no other watch is there" : `${counted(others, "other watch", "other watches")} not`}:`,
          ...muted.map((one) => watchInWords(one, clock)),
        ].join("\n"),
      );
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

/** ` on street`; empty when no camera is named. */
function onCameras({ cameras }: Slots): string {
  return cameras.length === 0 ? "" : ` on ${joinWords(cameras)}`;
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
    ...cameras.map((camera, at) => pictureInWords(camera, looks[at], clock)),
    ...pipelines
      .filter(({ video_reference }) => cameras.includes(video_reference))
      .map(
        ({ name, status, fps, reason = "" }) =>
          say(`${name} is ${status} at ${fps.toFixed(1)} frames a second.`, reason).text,
      ),
    fallen.length === 0 ? `No camera went down ${words}.` : `Down ${words}: ${joinWords(fallen)}.`,
  );
}

function pictureInWords(camera: string, look: ToolAnswer | undefined, clock: WallClock): string {
  const seen = dataOf(look, "capture_frame");
  if (seen === undefined) return `${camera} gives no picture: ${look?.text ?? ""}`;
  return seen.trouble === undefined
    ? `${camera} gives pictures.`
    : troubleInWords(camera, seen.trouble, (instant) => formatTime(instant, clock));
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
    `The last alert ${about(slots)}was ${formatMoment(last.timestamp, clock)}: ${last.text}`,
    reasons.length === 0 ? "It went out on every channel." : `It did not get through on ${joinWords(reasons)}.`,
    asked.length > 1 ? `Of the last ${asked.length} alerts, ${failed || "none"} failed to go out.` : "",
  );
}

/** Which mode is on, since when, and who is quiet in it. */
export function* planCurrentMode(_: Wish, { known, clock }: App): Plan {
  if (known.mode === undefined) return say("I have no record of the mode here.");
  const { mode, since, set_by } = known.mode;
  const { watches } = yield* need("list_watches", UNKNOWN);
  const quiet = watches
    .filter(({ modes }) => modes !== undefined && !modes.includes(mode))
    .map(({ words }) => `"${words}"`);
  const begun = since && `, since ${formatTime(since, clock)}${set_by === "schedule" ? " by its schedule" : ""}`;
  return say(
    `The mode is ${mode}${begun ?? ""}.`,
    quiet.length === 0 ? "No watch is quiet in it." : `Quiet in it: ${joinWords(quiet)}.`,
    `There are ${joinWords(modesOf(watches, known))}.`,
  );
}
