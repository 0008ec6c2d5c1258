import type { Health } from "@vision-agent/protocol";
import type { ReactNode } from "react";
import type { EventStreamView } from "../api/event-stream.ts";
import { TextButton } from "../look/buttons.tsx";
import { DegradedBar } from "../look/view-states.tsx";

export interface DegradedBarsProps {
  readonly connection: EventStreamView;
  readonly health: Health | undefined;
}

/** What works less well than it could, one slim line each. */
export function DegradedBars({ connection: { state, retryNow }, health }: DegradedBarsProps): ReactNode {
  return (
    <>
      {state.kind === "lost" && (
        <DegradedBar tone="warn">
          <span>
            No connection to the server since {new Date(state.sinceMs).toLocaleTimeString()}; cameras and watches go on
            without this page. Trying again by itself.
          </span>
          <TextButton onClick={retryNow}>Try now</TextButton>
        </DegradedBar>
      )}
      {state.kind !== "lost" && health?.mode === "offline" && (
        <DegradedBar tone="calm">
          No model: the offline interpreter answers. Set ANTHROPIC_API_KEY for a real one.
        </DegradedBar>
      )}
    </>
  );
}
