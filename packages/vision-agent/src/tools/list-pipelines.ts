export const NO_PIPELINES = "No pipeline is running.";
