// questions about the app itself → health from looks and events, cost from usage, delivery from alerts
import type { Clause } from "../intent.ts";
import { lately, type Period } from "../slots/find-period.ts";
import { joinWords } from "../words/class-words.ts";
import { type App, dataOf, type Plan, say } from "./plan.ts";

/** More cameras than this are not all opened for one question. */
const MOST_LOOKS = 6;

/** Whether cameras give pictures now, and which went down. */
export function* planHealth({ slots }: Clause, { known, clock }: App): Plan {
  if (slots.unknownCamera !== undefined && slots.cameras.length === 0)
    return say(`No camera is called "${slots.unknownCamera}".`);
  const named = slots.cameras.length > 0 ? slots.cameras : known.cameras.map(({ name }) => name);
  const cameras = named.slice(0, MOST_LOOKS);
  if (cameras.length === 0) return say("No camera is set up yet.");
  const period = slots.period ?? lately(clock);
  const answers = yield [
    { tool: "list_pipelines", args: {} },
    { tool: "search_events", args: { kind: "camera_down", from: period.from, to: period.to, max_results: 20 } },
    ...cameras.map((camera) => ({ tool: "capture_frame", args: { camera } })),
  ];
  const [running, down, ...looks] = answers;
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
  const troubled = pipelines.filter(({ status }) => status === "failed" || status === "reconnecting");
  const trouble = troubled.map(({ name, status, reason = "" }) => `${name} is ${status}. ${reason}`.trim());
  return say([...lines, ...trouble, failed].join(" "));
}

/** What was paid to models. */
export function costInWords({ slots }: Clause, { known, clock }: App): string {
  if (known.usage === undefined) return "I have no record of costs here. I myself cost nothing.";
  const { days, limitMicroUsd } = known.usage;
  const period = slots.period ?? lately(clock);
  const inPeriod = days.filter(({ day }) => isIn(day, period));
  const cost = inPeriod.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
  const calls = inPeriod.reduce((sum, day) => sum + day.calls, 0);
  const tokens = inPeriod.reduce((sum, day) => sum + day.inputTokens + day.outputTokens, 0);
  return `Models cost ${dollars(cost)} ${period.words}: ${calls} calls, ${tokens} tokens. The daily limit is ${dollars(limitMicroUsd)}, set by llm.cost_limit_daily in config.yaml. I, the offline interpreter, cost nothing.`;
}

function isIn(day: string, { from, to }: Period): boolean {
  return day >= from.slice(0, 10) && day <= to.slice(0, 10);
}

function dollars(microUsd: number): string {
  return `${(microUsd / 1e6).toFixed(2)} USD`;
}

/** Whether the last alerts got through. */
export function deliveryInWords({ slots }: Clause, { known }: App): string {
  const asked = (known.alerts ?? []).filter(
    ({ camera, timestamp }) =>
      (slots.cameras.length === 0 || slots.cameras.includes(camera)) &&
      (slots.period === undefined || (timestamp >= slots.period.from && timestamp < slots.period.to)),
  );
  const [last] = asked;
  const where = slots.cameras.length === 0 ? "" : ` about ${joinWords(slots.cameras)}`;
  if (last === undefined)
    return `No alerts${where} ${slots.period?.words ?? "so far"}, so there was nothing to deliver.`;
  const failed = asked.filter(({ failures }) => failures.length > 0);
  const reasons = last.failures.map(({ channel, reason }) => `${channel} (${reason})`);
  const got =
    reasons.length === 0 ? "It went out on every channel." : `It did not get through on ${joinWords(reasons)}.`;
  const rest =
    asked.length > 1 ? ` Of the last ${asked.length} alerts, ${failed.length || "none"} failed to go out.` : "";
  return `The last alert${where} was at ${last.timestamp}: ${last.text} ${got}${rest}`;
}
