// calls that change something + a sentence that is not clear → a question in their place
import type { Outcome, PlannedCall, Wish } from "../plans/plan.ts";
import { joinWords } from "../words/class-words.ts";
import { leftoverOf } from "./leftover.ts";

/** Tools that only look. */
const LOOKS: ReadonlySet<string> = new Set(
  "capture_frame run_inference ask_about_image detect_zero_shot list_pipelines get_pipeline_results list_workflow_blocks get_block_details validate_workflow list_watches search_events recall load_skill list_tasks list_changes".split(
    " ",
  ),
);

/** Undefined when the calls may be made. A question changes nothing even where somebody would say yes. */
export function askFirst(calls: readonly PlannedCall[], { clause, isSure }: Wish): Outcome | undefined {
  const changing = calls.filter(({ tool }) => !LOOKS.has(tool));
  if (changing.length === 0 || isSure) return undefined;
  const unexplained = [...new Set([...clause.judged.unexplained, ...leftoverOf(clause)])];
  const unread =
    unexplained.length === 0 ? "" : `I make nothing of ${joinWords(unexplained.map((word) => `"${word}"`))}. `;
  return {
    text: `I am not sure that I understood you. ${unread}Should I ${joinWords(changing.map(inWords))}?`,
    open: true,
    proposal: clause,
  };
}

function inWords({ tool, args, will }: PlannedCall): string {
  if (will !== undefined) return will;
  switch (tool) {
    case "start_pipeline":
      return `start ${args.pipeline_name} on ${args.video_reference}`;
    case "stop_pipeline":
      return args.pipeline_id === "all" ? "stop everything that runs" : `stop ${args.pipeline_id}`;
    case "pause_pipeline":
      return `pause ${args.pipeline_id}`;
    case "resume_pipeline":
      return `resume ${args.pipeline_id}`;
    case "remove_watch":
      return `remove ${args.watch_id}`;
    case "remember":
      return `remember "${args.content}"`;
    case "schedule_task":
      return `do "${args.instructions}" at the time you named`;
    case "cancel_task":
      return `cancel ${args.task_id}`;
    case "save_camera":
      return `save a camera called ${args.name} at ${args.source}`;
    default:
      return tool.replaceAll("_", " ");
  }
}
