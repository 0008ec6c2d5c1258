// what a run was asked for ↔ its line in the transcript
import type { RequestConfig } from "../llm/llm-client.ts";
import type { RunSettings } from "../session/session-store.ts";
import type { Json } from "../types/json.ts";
import type { ExecuteInput } from "./agent-executor.ts";
import type { Settings } from "./run-scope.ts";
import type { StopPolicy } from "./stop-policy.ts";

export function toSettings(input: ExecuteInput): Settings {
  const { principal, origin, mode, dedupeKey, config, stop, tools } = input;
  return {
    principal,
    origin,
    mode,
    dedupeKey,
    config,
    stop,
    tools,
  };
}

/** For the transcript: functions of the stop policy stay behind. */
export function toRunSettings({ config, stop, ...rest }: Settings): RunSettings {
  const { custom: _, ...limits } = stop ?? {};
  return {
    ...rest,
    ...(config === undefined ? {} : { config: config as Json }),
    ...(stop === undefined ? {} : { stop: limits }),
  };
}

/** Our own line, read back. */
export function fromRunSettings({ config, stop, ...rest }: RunSettings): Settings {
  return {
    ...rest,
    ...(config === undefined ? {} : { config: config as RequestConfig }),
    ...(stop === undefined ? {} : { stop: stop as Partial<StopPolicy> }),
  };
}
