import type { Health, Pause } from "@vision-agent/protocol";
import type { ReactNode } from "react";
import type { EventStreamView } from "../api/event-stream.ts";
import { TextButton } from "../look/buttons.tsx";
import { DegradedBar } from "../look/view-states.tsx";

export interface DegradedBarsProps {
  readonly connection: EventStreamView;
  readonly health: Health | undefined;
  /** What waits for a person and is not shown elsewhere on the page. */
  readonly pauses: readonly Pause[];
  readonly onAnswer: (pause: Pause) => void;
}

/** What works less well than it could, one slim line each. */
export function DegradedBars(props: DegradedBarsProps): ReactNode {
  const { state, retryNow } = props.connection;
  const { health, pauses, onAnswer } = props;
  const [waiting] = pauses;
  return (
    <>
      {state.kind === "lost" && (
        <DegradedBar tone="warn">
          <span>
            Connection to the server lost at {new Date(state.sinceMs).toLocaleTimeString()}. Trying to reconnect…
          </span>
          <TextButton onClick={retryNow}>Try now</TextButton>
        </DegradedBar>
      )}
      {state.kind !== "lost" && health?.mode === "offline" && (
        <DegradedBar tone="calm">
          No language model: the offline interpreter answers. Set ANTHROPIC_API_KEY to use one.
        </DegradedBar>
      )}
      {waiting !== undefined && (
        <DegradedBar tone="warn">
          <span className="min-w-0 flex-1 truncate">
            Waiting for your answer{pauses.length > 1 && ` (${pauses.length})`}: {waiting.prompt}
          </span>
          <TextButton onClick={() => onAnswer(waiting)}>Answer</TextButton>
        </DegradedBar>
      )}
    </>
  );
}
