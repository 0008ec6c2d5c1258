// what an agent asks for, with a tool or in its answer → an action of its own, within limits
import { createHash } from "node:crypto";
import { defineTool } from "../tools/tool.ts";
import { agentError } from "../types/errors.ts";
import type { Signal } from "../types/events.ts";
import { isJsonObject, type Json } from "../types/json.ts";
import { createJobSpec } from "./create-job-spec.ts";
import type { ActionOrigin, ActionRequest, JobSpec } from "./job-spec.ts";

/** SC-14: the signal that asks for actions. */
const ACTIONS_SIGNAL = "GENERATE_ACTIONS";

/** How many actions may come out of actions. */
export interface SubActionLimits {
  /** How deep actions may make actions. Default 3. */
  readonly maxDepth: number;
  /** Actions that agents may make in a day. Default 20. */
  readonly maxPerDay: number;
}

/** Reads a list of actions, or an object that holds one under `actions`. What has no instructions is left out. */
export function toActionRequests({ name, data }: Signal): readonly ActionRequest[] {
  if (name !== ACTIONS_SIGNAL) return [];
  const list = isJsonObject(data) && Array.isArray(data.actions) ? data.actions : data;
  return Array.isArray(list) ? list.filter(isJsonObject).flatMap(toActionRequest) : [];
}

/** Also as the seed's store writes them: `scheduleTime`, and the instructions in `taskConfig`. */
function toActionRequest(fields: { readonly [key: string]: Json }): ActionRequest[] {
  const taskConfig = [fields.taskConfig, fields.task_config].find(isJsonObject);
  const instructions = fields.instructions ?? taskConfig?.instructions;
  if (typeof instructions !== "string" || instructions.trim() === "") return [];
  const time = fields.schedule_time ?? fields.scheduleTime;
  const { notify } = fields;
  return [
    {
      instructions,
      // What is no text is no time either: refused with the others, not run at once.
      scheduleTime: time === undefined || time === null ? undefined : String(time),
      notify: typeof notify === "boolean" ? notify : undefined,
    },
  ];
}

/** The same key gives the same id. */
export function toActionId(key: string): string {
  return `action_${createHash("sha256").update(key).digest("hex").slice(0, 24)}`;
}

/** An action may use no tool that the job which made it may not, and has its model. Throws code `bad_job` for a time that is none. */
export function toActionSpec(
  request: ActionRequest,
  { id, principal, parent }: Pick<JobSpec, "id" | "principal"> & { readonly parent?: JobSpec },
  nowMs: number,
): JobSpec {
  return createJobSpec({
    id,
    kind: "action",
    trigger: { type: "at", time: request.scheduleTime ?? new Date(nowMs).toISOString() },
    instructions: request.instructions,
    principal,
    delivery: request.notify === false ? "store" : "alert",
    tools: parent?.tools,
    model: parent?.model,
    parent: parent && { jobId: parent.id, depth: (parent.parent?.depth ?? 0) + 1 },
  });
}

/** Throws `AgentError` kind `invalid`, code `action_depth` or `action_limit`. */
export function assertWithinLimits(spec: JobSpec, madeToday: number, limits: SubActionLimits): void {
  if ((spec.parent?.depth ?? 0) > limits.maxDepth) {
    throw agentError("invalid", "action_depth", `Actions make actions no more than ${limits.maxDepth} deep.`);
  }
  if (madeToday >= limits.maxPerDay) {
    throw agentError("invalid", "action_limit", `${limits.maxPerDay} actions were made today, which is the limit.`);
  }
}

/** SC-14: lets an agent plan work for later, in a conversation of its own. Within the limits of the jobs it is given. */
export function createActionTool(jobs: {
  createAction(request: ActionRequest, origin: ActionOrigin): Promise<JobSpec>;
}) {
  return defineTool({
    name: "create_action",
    description:
      "Plans work for later. It is done by an agent that sees nothing of this conversation: " +
      "write instructions that are complete in themselves.",
    parameters: {
      type: "object",
      properties: {
        instructions: { type: "string", minLength: 1, description: "What is to be done, with all that must be known." },
        schedule_time: {
          type: "string",
          format: "date-time",
          description: "When, ISO 8601 with offset. Left out: at once.",
        },
        notify: { type: "boolean", description: "Whether the person is told the answer. Default true." },
      },
      required: ["instructions"],
      additionalProperties: false,
    },
    annotations: { idempotent: true },
    async execute({ instructions, schedule_time, notify }, { runId, principal, idempotencyKey }) {
      const request = { instructions, scheduleTime: schedule_time, notify };
      const spec = await jobs.createAction(request, { runId, principal, key: idempotencyKey });
      const time = spec.trigger.type === "at" ? spec.trigger.time : "now";
      return { action_id: spec.id, schedule_time: time };
    },
  });
}
