// "forget what the door saw yesterday" → a preview, one yes, a receipt
import type { ForgetReceipt, ForgetRequest } from "@vision-agent/protocol";
import { describeCount, type Forget } from "../store/forget.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { historyEffect } from "./effects.ts";
import { parseEventTime } from "./event-times.ts";
import { type ToolArguments, visionTool } from "./graded-tool.ts";

const PROPERTIES = {
  camera: { type: "string" },
  from: { type: "string", description: "ISO 8601 or YYYY-MM-DD, local; inclusive." },
  to: { type: "string", description: "The same, exclusive." },
  event_id: { type: "string", description: "One event alone." },
  visit_id: { type: "string", description: "Id of a visit, or of an event of it: all of the camera while it lasted." },
} as const;

export interface ForgetToolParts {
  readonly forget: Forget["forget"];
  readonly cameras: Pick<CameraRegistry, "find">;
  /** IANA name. */
  readonly timeZone: string;
}

export function forgetTool({ forget, cameras, timeZone }: ForgetToolParts) {
  const toRequest = (args: ToolArguments<typeof PROPERTIES>): Omit<ForgetRequest, "preview"> => {
    const { camera, from, to, event_id: event, visit_id: visit } = args;
    return {
      // A camera that is gone may still have left something.
      ...(camera !== undefined && { camera: cameras.find(camera)?.name ?? camera }),
      ...(from !== undefined && { from: parseEventTime(from, timeZone) }),
      ...(to !== undefined && { to: parseEventTime(to, timeZone) }),
      ...(event !== undefined && { event }),
      ...(visit !== undefined && { visit }),
    };
  };
  return visionTool({
    name: "forget",
    deferLoading: true,
    description:
      "Remove for good what cameras showed: events, pictures, notes, alerts. The person sees what would go and is asked. " +
      'For "of me" first find the visits with search_events and ask which.',
    properties: PROPERTIES,
    annotations: { destructive: true, idempotent: true },
    async gradeOf(args) {
      const preview = await forget({ ...toRequest(args), preview: true });
      const found = summarize(preview);
      const question = `Remove ${found} for good (${preview.scope})?`;
      const nothing = `There is nothing to forget: ${preview.scope}.`;
      return { grade: "change", always: true, question, refusal: async () => (found === "" ? nothing : undefined) };
    },
    async run(args) {
      const request = toRequest(args);
      const receipt = await forget({ ...request, preview: false });
      const effects = [historyEffect(summarize(receipt) || "nothing", request.camera)];
      return { data: { receipt, effects } };
    },
    render: ({ receipt }) =>
      [`Removed (${receipt.scope}): ${summarize(receipt) || "nothing"}.`, "Not covered:", ...receipt.not_covered].join(
        "\n",
      ),
  });
}

function summarize({ removed }: ForgetReceipt): string {
  return removed
    .filter(({ count }) => count > 0)
    .map(describeCount)
    .join(", ");
}
