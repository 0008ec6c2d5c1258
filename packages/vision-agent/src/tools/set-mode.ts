// home, away, night: which watches tell
import { type ModeChange, modeChangeSchema } from "@vision-agent/protocol";
import type { Modes } from "../watches/open-modes.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { describeIssue } from "../workspace/describe-issue.ts";
import { modeEffect } from "./effects.ts";
import { schemaFor, visionTool } from "./graded-tool.ts";
import { quoteWords } from "./quote-words.ts";

export function setModeTool(modes: Modes, watches: Pick<WatchRegistry, "list">) {
  return visionTool({
    name: "set_mode",
    description: "Set the mode: home, away, night or an own name; or when it changes.",
    properties: {
      mode: { type: "string" },
      schedule: schemaFor<NonNullable<ModeChange["schedule"]>>({
        type: "array",
        items: { type: "object" },
        description: '[{"mode","at":"22:00"|"sunset","days"?:["mon"]}], all of them.',
      }),
    },
    gradeOf: ({ mode, schedule }) => {
      const wish = mode === undefined ? "change when the mode changes" : `set the mode to ${quoteWords(mode, 40)}`;
      const times = schedule === undefined ? "" : ` with the times ${quoteWords(JSON.stringify(schedule), 300)}`;
      return { grade: "change", question: `May I ${wish}${times}?` };
    },
    async run(args) {
      const { data: change, error } = modeChangeSchema.safeParse(args);
      if (error) throw new Error(describeIssue(error, args));
      const mode = await modes.change(change);
      const quiet = watches.list().filter((watch) => watch.modes && !watch.modes.includes(mode.mode));
      return { data: { mode, quiet: quiet.map(({ id, words }) => ({ id, words })), effects: [modeEffect(mode)] } };
    },
    render: ({ mode: { mode, schedule }, quiet }) => {
      const silent = quiet.map(({ id, words }) => `${id} "${words}"`).join(", ") || "none";
      const times = schedule.map((rule) => `${rule.mode} at ${rule.at}`).join(", ");
      return `The mode is ${mode}.${times === "" ? "" : ` It changes: ${times}.`} Watches that are quiet in it: ${silent}.`;
    },
  });
}
