// tool call → one line for people
import type { Json } from "./workflow-spec.ts";

/** What each tool does, while it does it and after. */
const VERBS: ReadonlyMap<string, readonly [doing: string, done: string]> = new Map([
  ["ask_about_image", ["looking at", "looked at"]],
  ["ask_user", ["asking", "asked"]],
  ["capture_frame", ["looking at", "looked at"]],
  ["cancel_task", ["cancelling task", "cancelled task"]],
  ["create_watch", ["creating watch", "created watch"]],
  ["detect_zero_shot", ["searching", "searched"]],
  ["explain_event", ["finding out why", "found out why"]],
  ["forget", ["forgetting", "forgot"]],
  ["forget_note", ["forgetting a note", "forgot a note"]],
  ["get_usage", ["adding up the cost", "added up the cost"]],
  ["set_limit", ["setting the limit", "set the limit"]],
  ["get_block_details", ["reading about", "read about"]],
  ["get_pipeline_results", ["reading the results of", "read the results of"]],
  ["list_changes", ["listing changes", "listed changes"]],
  ["list_pipelines", ["listing pipelines", "listed pipelines"]],
  ["list_tasks", ["listing tasks", "listed tasks"]],
  ["list_watches", ["listing watches", "listed watches"]],
  ["list_workflow_blocks", ["listing blocks", "listed blocks"]],
  ["load_tools", ["choosing tools", "chose tools"]],
  ["load_skill", ["reading skill", "read skill"]],
  ["mute_watch", ["muting watch", "muted watch"]],
  ["pause_pipeline", ["pausing", "paused"]],
  ["preview_watch", ["previewing watch", "previewed watch"]],
  ["recall", ["recalling", "recalled"]],
  ["remember", ["remembering", "remembered"]],
  ["remove_watch", ["removing watch", "removed watch"]],
  ["save_camera", ["saving camera", "saved camera"]],
  ["resume_pipeline", ["resuming", "resumed"]],
  ["run_inference", ["detecting in", "detected in"]],
  ["save_place", ["naming a place", "named a place"]],
  ["schedule_task", ["scheduling", "scheduled"]],
  ["search_events", ["searching events", "searched events"]],
  ["send_alert", ["sending an alert", "sent an alert"]],
  ["set_mode", ["setting the mode", "set the mode"]],
  ["start_pipeline", ["starting", "started"]],
  ["stop_pipeline", ["stopping", "stopped"]],
  ["test_watch", ["testing watch", "tested watch"]],
  ["think", ["thinking", "thought"]],
  ["update_watch", ["changing watch", "changed watch"]],
  ["validate_workflow", ["checking the workflow", "checked the workflow"]],
]);

const SUBJECTS = [
  "name",
  "pipeline_name",
  "pipeline_id",
  "watch_id",
  "camera",
  "image",
  "query",
  "words",
  "block_type",
  "text",
] as const;
const PLACES = ["video_reference", "camera", "source", "sources"] as const;
const LONGEST_SUBJECT = 40;

export interface StepSentence {
  readonly verb: string;
  /** The thing it is done to, shown with emphasis; empty when the arguments name none. */
  readonly subject: string;
  /** " on dock", or empty. */
  readonly place: string;
}

export function stepSentence(tool: string, given: Json, isDone: boolean): StepSentence {
  const verbs = VERBS.get(tool);
  const verb = verbs === undefined ? tool.replaceAll("_", " ") : verbs[isDone ? 1 : 0];
  const subject = firstWords(given, SUBJECTS);
  const place = firstWords(given, PLACES);
  if (subject === "") return { verb, subject: place, place: "" };
  return { verb, subject, place: place === "" || place === subject ? "" : ` on ${place}` };
}

/** The whole line; `isDone` only when it worked: "looked at street", "started dock-count on dock". */
export function stepLine(tool: string, given: Json, isDone: boolean): string {
  const { verb, subject, place } = stepSentence(tool, given, isDone);
  return subject === "" ? verb : `${verb} ${subject}${place}`;
}

function firstWords(given: Json, keys: readonly string[]): string {
  if (given === null || typeof given !== "object" || Array.isArray(given)) return "";
  for (const key of keys) {
    const words = toWords(given[key]);
    if (words !== "") return words.length > LONGEST_SUBJECT ? `${words.slice(0, LONGEST_SUBJECT - 1)}…` : words;
  }
  return "";
}

function toWords(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string").join(", ");
  return "";
}
