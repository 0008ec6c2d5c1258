// Work for later: actions, cron tasks, heartbeats
export { createActionTool } from "./jobs/create-action-tool.ts";
export { createJobSpec, type JobInput } from "./jobs/create-job-spec.ts";
export { createJobs, type JobsOptions, type RunWanted } from "./jobs/create-jobs.ts";
export { previewSchedule } from "./jobs/due-times.ts";
export { createFileJobStore, type FileJobStoreOptions } from "./jobs/file-job-store.ts";
export type { Delivery, JobEvent } from "./jobs/job-events.ts";
export type { ActionOrigin, ActionRequest, JobRun, JobRunState, JobSpec, Jobs, Trigger } from "./jobs/job-spec.ts";
export type { JobStore, StoredJob, StoredRun } from "./jobs/job-store.ts";
export { createMemoryJobStore } from "./jobs/memory-job-store.ts";
export type { SubActionLimits } from "./jobs/sub-actions.ts";
