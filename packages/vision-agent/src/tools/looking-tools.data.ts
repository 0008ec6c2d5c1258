import { LOAD_TOOLS } from "@vision-agent/agent-core";

/** Tools that change nothing: what a heartbeat and a task without a word about it may use. */
export const LOOKING_TOOLS: readonly string[] = [
  "capture_frame",
  "run_inference",
  "ask_about_image",
  "detect_zero_shot",
  "list_pipelines",
  "get_pipeline_results",
  "list_workflow_blocks",
  "get_block_details",
  "validate_workflow",
  "list_watches",
  "search_events",
  "list_alerts",
  "recall",
  "load_skill",
  "list_tasks",
  "list_changes",
  "think",
  LOAD_TOOLS,
];

/** Tools that ask on every level of autonomy, for some calls or for all. */
export const ALWAYS_ASKING: readonly string[] = [
  "cancel_task",
  "forget",
  "forget_note",
  "remove_camera",
  "remove_watch",
  "save_camera",
  "set_limit",
  "stop_pipeline",
  "undo",
];
