// the model asks for something later → an action
import type { Tool } from "../tools/tool.ts";
import type { Jobs } from "./job-spec.ts";

interface CreateActionArguments {
  readonly instructions: string;
  readonly schedule_time?: string;
  readonly notify?: boolean;
}

/** SC-14: lets an agent plan work for later, in a conversation of its own. Within the limits of the jobs it is given. */
export function createActionTool(jobs: Pick<Jobs, "createAction">): Tool<CreateActionArguments> {
  return {
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
      const spec = await jobs.createAction(
        {
          instructions,
          scheduleTime: schedule_time,
          notify,
        },
        { runId, principal, key: idempotencyKey },
      );
      const time = spec.trigger.type === "at" ? spec.trigger.time : "now";
      return { action_id: spec.id, schedule_time: time };
    },
  };
}
