// Work for later: actions, cron tasks, heartbeats
export { createActionTool, type SubActionLimits } from "./jobs/actions.ts";
export { createJobSpec, type JobInput } from "./jobs/create-job-spec.ts";
export { createJobs, type Jobs, type JobsOptions, type RunWanted } from "./jobs/create-jobs.ts";
export { previewSchedule } from "./jobs/due-times.ts";
export type {
  ActionOrigin,
  ActionRequest,
  JobDelivery,
  JobEvent,
  JobRun,
  JobRunState,
  JobSpec,
  JobStore,
  StoredJob,
  StoredRun,
  Trigger,
} from "./jobs/job-spec.ts";
export { createFileJobStore, createMemoryJobStore, type FileJobStoreOptions } from "./jobs/journaled-job-store.ts";
