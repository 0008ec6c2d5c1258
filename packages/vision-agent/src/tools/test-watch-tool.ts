// "try it" → an alert of that watch, marked as a test
import { describeTest } from "../alerts/test-watch.ts";
import { alertEffect } from "./effects.ts";
import { visionTool } from "./graded-tool.ts";
import { quoteWords } from "./quote-words.ts";
import type { ToolParts } from "./tool-parts.ts";

export function testWatchTool({ watches, testWatch }: Pick<ToolParts, "watches" | "testWatch">) {
  return visionTool({
    name: "test_watch",
    description: "Send an alert of a watch now, marked as a test, with a current picture.",
    deferLoading: true,
    required: ["watch_id"],
    properties: { watch_id: { type: "string" }, camera: { type: "string" } },
    gradeOf: ({ watch_id }) => ({
      grade: "tell",
      question: `May I send you a test alert of the watch ${quoteWords(watches.list().find(({ id }) => id === watch_id)?.words ?? watch_id)}?`,
    }),
    async run({ watch_id, camera }) {
      const tested = await testWatch(watch_id, camera);
      return { data: { ...tested, effects: [alertEffect(tested.alert)] } };
    },
    render: describeTest,
  });
}
