import type { Pause, PauseAnswer } from "@vision-agent/protocol";
import { ArrowDown } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { TextButton } from "../look/buttons.tsx";
import { Loading, Problem } from "../look/view-states.tsx";
import { type ChatView, canSayAgain } from "./chat-session.ts";
import { PauseCard } from "./pause-card.tsx";
import { textOf } from "./run-view.ts";
import { MessageItem, RunItems } from "./turn.tsx";

export interface MessageListProps {
  readonly view: ChatView;
  readonly speaker: string;
  /** What stands here while nothing was said. */
  readonly empty: ReactNode;
  /** Called when a turn failed and a person wants it tried once more. */
  readonly onSayAgain: () => void;
  /** What this conversation waits for. */
  readonly pauses: readonly Pause[];
  readonly onAnswer: (pauseId: string, answer: PauseAnswer) => void;
}

const NEAR_END_PX = 40;
const ANNOUNCED_MS = 7000;

/** The conversation. It follows the newest words only while the reader is at the end. */
export function MessageList(props: MessageListProps): ReactNode {
  const { view, speaker, empty, onSayAgain, pauses, onAnswer } = props;
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const [atEnd, setAtEnd] = useState(true);
  const toEnd = (): void => box.current?.scrollTo({ top: box.current.scrollHeight });

  // Words, pictures and questions that come, and Markdown that loads late, all move the end.
  const follow = useEffectEvent(() => {
    if (atEnd) toEnd();
  });
  useLayoutEffect(() => {
    const resized = new ResizeObserver(() => follow());
    for (const { current } of [box, content]) if (current !== null) resized.observe(current);
    return () => resized.disconnect();
  }, []);

  const announced = useAnnouncement(spokenWords(view));

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <section
        ref={box}
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          // Only a reader scrolls up; what grows meanwhile moves the end away without anybody leaving it.
          if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) setAtEnd(true);
          else if (scrollTop < lastTop.current) setAtEnd(false);
          lastTop.current = scrollTop;
        }}
        className="-outline-offset-2 min-h-0 flex-1 overflow-y-auto px-4 py-3"
      >
        <div ref={content}>
          {view.loading && <Loading reason="Loading the conversation…" />}
          {!view.loading && view.entries.length === 0 && view.problem === undefined && empty}
          <ol className="grid grid-cols-1 gap-4">
            {view.entries.map((entry) =>
              entry.kind === "message" ? (
                <MessageItem key={entry.message.id} message={entry.message} speaker={speaker} />
              ) : (
                <RunItems key={entry.key} run={entry.run} speaker={speaker} />
              ),
            )}
          </ol>
          {!view.busy &&
            pauses.map((pause) => (
              <PauseCard key={pause.id} pause={pause} onAnswer={(answer) => onAnswer(pause.id, answer)} />
            ))}
          {canSayAgain(view) && (
            <TextButton onClick={onSayAgain} className="mt-2">
              Try again
            </TextButton>
          )}
          {view.problem !== undefined && (
            <div className="mt-4">
              <Problem message={view.problem.message} hint={view.problem.hint} onRetry={view.problem.again} />
            </div>
          )}
        </div>
      </section>
      <p role="status" className="sr-only">
        {announced}
      </p>
      {!atEnd && (
        <TextButton onClick={toEnd} className="absolute right-4 bottom-2 inline-flex items-center gap-1">
          <ArrowDown aria-hidden="true" size={14} /> Newest
        </TextButton>
      )}
    </div>
  );
}

/** Words for a live region, gone again once they were read, so that nobody meets them twice. */
function useAnnouncement(words: string): string {
  const [announced, setAnnounced] = useState("");
  useEffect(() => {
    setAnnounced(words);
    const timer = setTimeout(() => setAnnounced(""), ANNOUNCED_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return announced;
}

/** Read aloud once a turn is over, not word by word. */
function spokenWords({ entries, busy }: ChatView): string {
  if (busy) return "Answering";
  const last = entries.at(-1);
  return last?.kind === "run" ? textOf(last.run.parts) : "";
}
