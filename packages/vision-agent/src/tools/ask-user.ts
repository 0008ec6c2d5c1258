import { type AskUserOptions, createAskUserTool as createCoreAskUserTool } from "@vision-agent/agent-core";
import { type GradedTool, lookOnly } from "./autonomy.ts";

/** The run waits for the person, also over a restart; the answer becomes the result. */
export function createAskUserTool(options: AskUserOptions = {}): GradedTool<{
  readonly question: string;
  readonly choices?: readonly string[];
}> {
  return lookOnly(createCoreAskUserTool(options));
}
