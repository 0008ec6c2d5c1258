// a span of time → what the agent did in it, from the ledger
import { NO_CHANGES, type ToolDataOf } from "@vision-agent/protocol";
import type { ChangeLedger } from "./change-ledger.ts";
import { formatLocalTime, parseEventTime } from "./event-times.ts";
import { type VisionTool, visionTool } from "./graded-tool.ts";

export interface ListChangesOptions {
  readonly changes: Pick<ChangeLedger, "list">;
  /** IANA name. */
  readonly timeZone: string;
}

interface ListChangesArgs {
  readonly since?: string;
  readonly until?: string;
  readonly session?: string;
}

const CURRENT = "current";
const MOST_SHOWN = 100;

export function listChangesTool({
  changes,
  timeZone,
}: ListChangesOptions): VisionTool<"list_changes", ListChangesArgs> {
  return visionTool({
    name: "list_changes",
    description:
      "What you changed before: started, stopped, created, sent, scheduled. Use it whenever you are asked what you did.",
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        since: { type: "string", description: "ISO 8601 or YYYY-MM-DD, local; inclusive." },
        until: { type: "string", description: "The same, exclusive." },
        session: { type: "string", description: "Id of a conversation, or current. Default: all." },
      },
    },
    annotations: { readOnly: true },
    async run({ since, until, session }, { sessionId }) {
      const found = changes.list({
        since: since && parseEventTime(since, timeZone),
        until: until && parseEventTime(until, timeZone),
        session: session === CURRENT ? sessionId : session,
      });
      return { data: { changes: found.slice(-MOST_SHOWN), is_cut: found.length > MOST_SHOWN } };
    },
    render: (data) => render(data, timeZone),
  });
}

function render({ changes, is_cut }: ToolDataOf<"list_changes">, timeZone: string): string {
  if (changes.length === 0) return NO_CHANGES;
  const lines = changes.map(({ at, text, id }) => `- ${formatLocalTime(at, timeZone)} ${text} (${id})`);
  return [...(is_cut ? [`The last ${changes.length}; give since and until for others.`] : []), ...lines].join("\n");
}
