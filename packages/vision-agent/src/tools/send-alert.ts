// words of the agent → an alert to the person, with a picture

import { toPlainText } from "@vision-agent/protocol";
import type { AlertRouter } from "../alerts/route-alert.ts";
import { originOf } from "../store/picture-origin.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { alertEffect } from "./effects.ts";
import { visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";
import type { ToolParts } from "./tool-parts.ts";

const HOUR_MS = 3_600_000;
/** Who gets more reads none. */
const MOST_AN_HOUR = 60;

export function sendAlertTool({
  alerts,
  cameras,
  clock,
}: Pick<ToolParts, "clock"> & { readonly alerts: Pick<AlertRouter, "tell">; readonly cameras: CameraRegistry }) {
  let sentMs: readonly number[] = [];
  return visionTool({
    name: "send_alert",
    deferLoading: true,
    description: "Alert the person now, outside this conversation. To be alerted of future events use create_watch.",
    required: ["text"],
    properties: {
      text: { type: "string", minLength: 1, maxLength: 500 },
      severity: { type: "string", enum: ["info", "warning", "critical"], default: "info" },
      camera: { type: "string" },
      picture: { type: "string", description: "Picture id (art_…)." },
    },
    gradeOf: ({ text }) => ({
      grade: "tell",
      question: `May I alert you now? The assistant writes: ${quoteWords(text)}.`,
    }),
    async run({ text, severity = "info", camera, picture }, { getArtifact }) {
      const known = camera === undefined ? undefined : cameras.find(camera);
      if (camera !== undefined && known === undefined) throw new Error(unknownCamera(cameras, camera));
      const shown = picture === undefined ? undefined : await getArtifact(picture);
      if (picture !== undefined && shown === undefined) {
        throw new Error(`There is no picture ${picture}. Take the id from a tool result, or leave it out.`);
      }
      const [taken, ...more] = originOf(shown?.ref)?.cameras ?? [];
      // Who may see an alert follows from its camera, so its picture must be of that camera.
      if (known && taken !== undefined && (more.length > 0 || taken.toLowerCase() !== known.name.toLowerCase())) {
        throw new Error(`The picture is of ${[taken, ...more].join(" and ")}, not of ${known.name}.`);
      }
      const about = known?.name ?? (more.length === 0 ? taken : undefined);
      sentMs = sentMs.filter((ms) => clock.now() - ms < HOUR_MS);
      if (sentMs.length >= MOST_AN_HOUR) {
        throw new Error(
          `${MOST_AN_HOUR} alerts were sent within an hour, which is the most. Say it in the conversation.`,
        );
      }
      sentMs = [...sentMs, clock.now()];
      // Signs that turn the direction of writing make a text read otherwise than it is.
      const plain = toPlainText(text);
      if (plain === "") throw new Error("The alert says nothing: give its text.");
      const { alert, failures } = await alerts.tell({
        text: plain,
        severity,
        ...(about && { camera: about }),
        picture,
      });
      return { data: { alert, failures: [...failures], effects: [alertEffect(alert)] } };
    },
    render({ alert, failures }) {
      const failed = failures.map(({ channel, reason }) => ` Delivery through ${channel} failed: ${reason}`).join("");
      return `Sent as ${alert.id} (${alert.severity}).${failed}`;
    },
  });
}
