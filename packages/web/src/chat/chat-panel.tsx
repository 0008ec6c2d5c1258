import { ChevronDown } from "lucide-react";
import { type ReactNode, type RefObject, useSyncExternalStore } from "react";
import { IconButton, TextButton } from "../look/buttons.tsx";
import type { ChatSession } from "./chat-session.ts";
import { Composer } from "./composer.tsx";
import { Conversations, type OpenSession } from "./conversations.tsx";
import { examplesFor } from "./examples.ts";
import type { Mention } from "./mentions.ts";
import { MessageList } from "./message-list.tsx";
import { usePauses } from "./use-chat.ts";

export interface ChatPanelProps {
  readonly chat: ChatSession;
  /** A camera to speak of in examples; undefined while there is none. */
  readonly camera: string | undefined;
  /** Who answers, until an answer says so itself. */
  readonly speaker: string;
  /** On a phone: whether the sheet is drawn up. */
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly inputRef: RefObject<HTMLTextAreaElement | null>;
  readonly mentions: readonly Mention[];
  readonly onUnmention: (key: string) => void;
  readonly onOpenSession: OpenSession;
}

/** The conversation beside the picture; on a phone a sheet that leaves its composer visible. */
export function ChatPanel(props: ChatPanelProps): ReactNode {
  const { chat, camera, speaker, open, onOpenChange, inputRef, mentions, onUnmention, onOpenSession } = props;
  const view = useSyncExternalStore(chat.subscribe, chat.view);
  const pauses = usePauses(chat, view);
  const folded = open ? "" : "max-wide:hidden";
  return (
    <aside
      aria-label="Chat"
      className={`fixed inset-x-0 bottom-14 z-20 flex flex-col border-line border-t bg-raised wide:static wide:h-full wide:min-h-0 wide:border-t-0 wide:border-l ${
        open ? "max-wide:top-12" : ""
      }`}
    >
      <header className={`flex min-h-12 items-center gap-1 border-line border-b pr-2 pl-4 ${folded}`}>
        <h2 className="font-semibold text-base">Chat</h2>
        <span className="min-w-0 flex-1 truncate px-2 text-muted text-small">{speaker}</span>
        <Conversations onOpen={onOpenSession} />
        <IconButton label="Close the chat" className="wide:hidden" onClick={() => onOpenChange(false)}>
          <ChevronDown aria-hidden="true" size={18} />
        </IconButton>
      </header>
      <div className={`flex min-h-0 flex-1 flex-col ${folded}`}>
        <MessageList
          view={view}
          speaker={speaker}
          empty={<Examples camera={camera} onSay={(text) => void chat.say({ text, images: [] })} />}
          onSayAgain={() => void chat.sayAgain()}
          pauses={pauses}
          onAnswer={(pauseId, answer) => void chat.answer(pauseId, answer)}
        />
      </div>
      <Composer
        inputRef={inputRef}
        busy={view.busy}
        mentions={mentions}
        onUnmention={onUnmention}
        onSay={(sentence) => {
          onOpenChange(true);
          void chat.say(sentence);
        }}
        onStop={() => void chat.stop()}
        onFocus={() => onOpenChange(true)}
      />
    </aside>
  );
}

interface ExamplesProps {
  readonly camera: string | undefined;
  readonly onSay: (text: string) => void;
}

function Examples({ camera, onSay }: ExamplesProps): ReactNode {
  return (
    <div className="grid grid-cols-1 justify-items-start gap-2">
      <p className="text-muted text-small">Ask about your cameras, or say what to watch for. For example:</p>
      {examplesFor(camera).map((text) => (
        <TextButton key={text} onClick={() => onSay(text)} className="py-1 text-left">
          {text}
        </TextButton>
      ))}
    </div>
  );
}
