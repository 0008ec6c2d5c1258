// time, camera, watch, severity → alerts that were sent, and those that a gate held back
import type { Alert, ToolDataOf } from "@vision-agent/protocol";
import type { AlertDecision } from "../alerts/alert-decision.ts";
import type { AlertRouter } from "../alerts/route-alert.ts";
import { formatLocalTime, parseEventTime } from "./event-times.ts";
import { visionTool } from "./graded-tool.ts";
import type { ToolParts } from "./tool-parts.ts";

const ALL_ALERTS = 5000;
/** What nobody asked to be told of was not held back. */
const NOT_ASKED: ReadonlySet<string> = new Set(["kind", "pipeline"]);

export function listAlertsTool({
  alerts,
  timeZone,
}: Pick<ToolParts, "timeZone"> & { readonly alerts: Pick<AlertRouter, "list" | "decisions" | "channelNames"> }) {
  return visionTool({
    name: "list_alerts",
    description:
      'Alerts that were sent, oldest first, or those that were held back and why. Answers "did you send it, and when?".',
    properties: {
      from: { type: "string", description: "ISO 8601 or YYYY-MM-DD, local; inclusive." },
      to: { type: "string", description: "The same, exclusive." },
      camera: { type: "string" },
      watch_id: { type: "string" },
      severity: { type: "string", enum: ["info", "warning", "critical"] },
      state: { type: "string", enum: ["sent", "suppressed"], default: "sent" },
      max_results: { type: "integer", minimum: 1, maximum: 50, default: 20 },
    },
    deferLoading: true,
    annotations: { readOnly: true },
    untrusted: true,
    async run({ from, to, camera, watch_id, severity, state = "sent", max_results: most = 20 }) {
      const [start = "", end = "9"] = [from, to].map((time) => time && parseEventTime(time, timeZone));
      const fits = (one: Pick<Alert, "timestamp" | "camera" | "watch_id">): boolean =>
        one.timestamp >= start &&
        one.timestamp < end &&
        (camera === undefined || one.camera.toLowerCase() === camera.toLowerCase()) &&
        (watch_id === undefined || one.watch_id === watch_id);
      const sent = alerts
        .list(ALL_ALERTS)
        .filter((one) => fits(one) && (severity === undefined || one.severity === severity))
        .toReversed();
      const decisions = alerts.decisions().filter(fits);
      const held = decisions.filter(({ gate }) => gate !== undefined && !NOT_ASKED.has(gate));
      const seen = sent.filter(({ event_id, watch_id, test }) => (event_id ?? watch_id) !== undefined && !test);
      const failed = new Map(decisions.flatMap(({ alert_id, failures }) => (alert_id ? [[alert_id, failures]] : [])));
      return {
        data: {
          state,
          total: { seen: seen.length + held.length, sent: sent.length, suppressed: held.length },
          channels: [...alerts.channelNames()],
          // The newest of them, in the order of time.
          alerts:
            state === "sent"
              ? sent.slice(-most).map((alert) => ({ ...alert, failures: failed.get(alert.id) ?? [] }))
              : [],
          suppressed: state === "sent" ? [] : held.slice(-most).map(toSuppressed),
        },
      };
    },
    render: (data) => render(data, timeZone),
  });
}

function toSuppressed({ timestamp, camera, watch_id, event_id, gate, reason }: AlertDecision) {
  return { timestamp, camera, ...(watch_id !== undefined && { watch_id }), event_id, gate: gate ?? "", reason };
}

function render({ state, total, channels, alerts, suppressed }: ToolDataOf<"list_alerts">, timeZone: string): string {
  const where = ["the alert log", ...channels].join(", ");
  const head = `${total.seen} seen, ${total.sent} sent (to ${where}), ${total.suppressed} held back.`;
  const sent = alerts.map((alert) => {
    const { timestamp, severity, camera, text, id, watch_id, picture, held_back, test, failures } = alert;
    const about = [
      id,
      watch_id && `watch ${watch_id}`,
      picture && `picture ${picture}`,
      test && "a test",
      held_back > 0 && `${held_back} more of the same were held back before`,
      ...failures.map(({ channel, reason }) => `not to ${channel}: ${reason}`),
    ].filter(Boolean);
    return `- ${formatLocalTime(timestamp, timeZone)} ${severity} ${camera}: ${text} (${about.join("; ")})`;
  });
  const held = suppressed.map(
    ({ timestamp, camera, reason, event_id }) =>
      `- ${formatLocalTime(timestamp, timeZone)} ${camera}: ${reason} (${event_id})`,
  );
  const [all, shown] = state === "sent" ? [total.sent, sent] : [total.suppressed, held];
  const cut = all > shown.length ? [`The last ${shown.length} of ${all}; give from and to for others.`] : [];
  return [head, ...cut, ...shown].join("\n");
}
