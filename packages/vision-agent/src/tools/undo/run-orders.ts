// runs of conversations → which of them carry out the same order of a person
import type { AgentEvent, ToolContext } from "@vision-agent/agent-core";

export interface RunOrders {
  note(event: AgentEvent): void;
  of(context: Pick<ToolContext, "runId" | "sessionId">): string;
}

/** A run that goes on after a question, or after a crash, belongs to the order of the run before it. */
export function createRunOrders(lastOrder: (start: string) => string | undefined): RunOrders {
  const bySession = new Map<string, { readonly runId: string; readonly order: string }>();
  return {
    note(event) {
      if (event.type !== "run_started") return;
      const { sessionId, runId, trigger } = event;
      const goesOn = trigger === "resume" || trigger === "recovery";
      const before = goesOn ? (bySession.get(sessionId)?.order ?? lastOrder(`${sessionId} `)) : undefined;
      bySession.set(sessionId, { runId, order: before ?? `${sessionId} ${runId}` });
    },
    of({ sessionId, runId }) {
      const known = bySession.get(sessionId);
      return known?.runId === runId ? known.order : `${sessionId} ${runId}`;
    },
  };
}
