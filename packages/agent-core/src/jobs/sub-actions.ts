// what an agent asks for → an action of its own, within limits
import { createHash } from "node:crypto";
import { AgentError } from "../types/errors.ts";
import type { Signal } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { Principal } from "../types/principal.ts";
import { createJobSpec } from "./create-job-spec.ts";
import type { ActionRequest, JobSpec } from "./job-spec.ts";

/** SC-14: the signal that asks for actions. */
const ACTIONS_SIGNAL = "GENERATE_ACTIONS";

export interface SubActionLimits {
  /** How deep actions may make actions. Default 3. */
  readonly maxDepth: number;
  /** Actions that agents may make in a day. Default 20. */
  readonly maxPerDay: number;
}

/** Reads a list of actions, or an object that holds one under `actions`. What has no instructions is left out. */
export function toActionRequests({ name, data }: Signal): readonly ActionRequest[] {
  if (name !== ACTIONS_SIGNAL) return [];
  const list = isObject(data) && Array.isArray(data.actions) ? data.actions : data;
  return Array.isArray(list) ? list.filter(isObject).flatMap(toActionRequest) : [];
}

function toActionRequest({ instructions, schedule_time, notify }: { readonly [key: string]: Json }): ActionRequest[] {
  if (typeof instructions !== "string" || instructions.trim() === "") return [];
  return [
    {
      instructions,
      ...(typeof schedule_time === "string" && { scheduleTime: schedule_time }),
      ...(typeof notify === "boolean" && { notify }),
    },
  ];
}

/** The same key gives the same id. */
export function toActionId(key: string): string {
  return `action_${createHash("sha256").update(key).digest("hex").slice(0, 24)}`;
}

export interface ActionSpecInput {
  readonly request: ActionRequest;
  readonly id: string;
  readonly principal: Principal;
  readonly parent?: JobSpec;
  readonly nowMs: number;
}

/** An action may use no tool that the job which made it may not. Throws code `bad_job` for a time that is none. */
export function toActionSpec({ request, id, principal, parent, nowMs }: ActionSpecInput): JobSpec {
  return createJobSpec({
    id,
    kind: "action",
    trigger: { type: "at", time: request.scheduleTime ?? new Date(nowMs).toISOString() },
    instructions: request.instructions,
    principal,
    delivery: request.notify === false ? "store" : "alert",
    ...(parent?.tools && { tools: parent.tools }),
    ...(parent && { parent: { jobId: parent.id, depth: (parent.parent?.depth ?? 0) + 1 } }),
  });
}

/** Throws `AgentError` kind `invalid`, code `action_depth` or `action_limit`. */
export function assertWithinLimits(spec: JobSpec, madeToday: number, limits: SubActionLimits): void {
  if ((spec.parent?.depth ?? 0) > limits.maxDepth) {
    throw refused("action_depth", `Actions make actions no more than ${limits.maxDepth} deep.`);
  }
  if (madeToday >= limits.maxPerDay) {
    throw refused("action_limit", `${limits.maxPerDay} actions were made today, which is the limit.`);
  }
}

function refused(code: string, message: string): AgentError {
  return new AgentError({ kind: "invalid", code, message });
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
