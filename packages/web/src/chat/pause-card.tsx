import type { Pause, PauseAnswer } from "@vision-agent/protocol";
import { type ReactNode, useState } from "react";
import { TextButton } from "../look/buttons.tsx";

export interface PauseCardProps {
  readonly pause: Pause;
  readonly onAnswer: (answer: PauseAnswer) => void;
}

/** What waits for a person: the question, what would be done, and the buttons that answer it. */
export function PauseCard({ pause, onAnswer }: PauseCardProps): ReactNode {
  const isQuestion = pause.kind === "ask_user" || pause.kind === "external_event";
  return (
    <section
      data-testid="pause"
      aria-label="Waiting for your answer"
      className="mt-4 grid grid-cols-1 gap-2 border-accent border-l-4 bg-surface py-2 pr-2 pl-3"
    >
      <p role="alert" className="whitespace-pre-wrap font-semibold [overflow-wrap:anywhere]">
        {pause.prompt}
      </p>
      <PlannedCalls calls={pause.calls} />
      {pause.expires_at !== null && (
        <p className="text-muted text-small">Expires {new Date(pause.expires_at).toLocaleString()}.</p>
      )}
      {isQuestion ? (
        <QuestionButtons choices={pause.choices} onAnswer={onAnswer} />
      ) : (
        <ApprovalButtons onAnswer={onAnswer} />
      )}
    </section>
  );
}

function ApprovalButtons({ onAnswer }: Pick<PauseCardProps, "onAnswer">): ReactNode {
  return (
    <div className="flex gap-2">
      <TextButton look="primary" onClick={() => onAnswer({ decision: "approve" })}>
        Approve
      </TextButton>
      <TextButton onClick={() => onAnswer({ decision: "deny" })}>Deny</TextButton>
    </div>
  );
}

interface QuestionButtonsProps extends Pick<PauseCardProps, "onAnswer"> {
  /** The only answers that are taken; empty where any words are. */
  readonly choices: readonly string[];
}

function QuestionButtons({ choices, onAnswer }: QuestionButtonsProps): ReactNode {
  const [text, setText] = useState("");
  const words = text.trim();
  return (
    <form
      className="flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (words !== "") onAnswer({ decision: "answer", text: words });
      }}
    >
      {choices.map((choice) => (
        <TextButton key={choice} onClick={() => onAnswer({ decision: "answer", text: choice })}>
          {choice}
        </TextButton>
      ))}
      {choices.length === 0 && (
        <>
          <input
            aria-label="Your answer"
            value={text}
            maxLength={20_000}
            onChange={({ target }) => setText(target.value)}
            className="min-h-7 min-w-0 flex-1 rounded-base border border-muted bg-raised px-2 text-small"
          />
          <TextButton type="submit" look="primary" disabled={words === ""}>
            Answer
          </TextButton>
        </>
      )}
      <TextButton onClick={() => onAnswer({ decision: "deny" })}>Skip</TextButton>
    </form>
  );
}

function PlannedCalls({ calls }: Pick<Pause, "calls">): ReactNode {
  if (calls.length === 0) return null;
  return (
    <details className="text-small">
      <summary className="min-h-6 text-muted hover:text-text">Details</summary>
      <ul className="grid grid-cols-1 gap-1 font-mono">
        {calls.map(({ call_id, tool, arguments: given }) => (
          <li key={call_id} className="[overflow-wrap:anywhere]">
            {tool} {given}
          </li>
        ))}
      </ul>
    </details>
  );
}
