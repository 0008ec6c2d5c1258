// words of the agent → an alert to the person, with a picture
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { alertEffect } from "./effects.ts";
import { visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";
import type { ToolParts } from "./tool-parts.ts";

export function sendAlertTool({ alerts, cameras }: Pick<ToolParts, "alerts"> & { readonly cameras: CameraRegistry }) {
  return visionTool({
    name: "send_alert",
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
      if (picture !== undefined && (await getArtifact(picture)) === undefined) {
        throw new Error(`There is no picture ${picture}. Take the id from a tool result, or leave it out.`);
      }
      const { alert, failures } = await alerts.tell({ text, severity, ...(known && { camera: known.name }), picture });
      return { data: { alert, failures: [...failures], effects: [alertEffect(alert)] } };
    },
    render({ alert, failures }) {
      const failed = failures.map(({ channel, reason }) => ` Delivery through ${channel} failed: ${reason}`).join("");
      return `Sent as ${alert.id} (${alert.severity}).${failed}`;
    },
  });
}
