import { ArrowUp, ImagePlus, Square, X } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import { useApp } from "../api/app-context.ts";
import { artifactUrl } from "../api/dashboard-api.ts";
import { IconButton } from "../look/buttons.tsx";
import { Empty, Problem } from "../look/view-states.tsx";
import type { ChatInput } from "./chat-session.ts";
import { type Mention, withMentions } from "./mentions.ts";

export interface ComposerProps {
  readonly inputRef: RefObject<HTMLTextAreaElement | null>;
  readonly busy: boolean;
  readonly mentions: readonly Mention[];
  readonly onUnmention: (key: string) => void;
  readonly onSay: (sentence: ChatInput) => void;
  readonly onStop: () => void;
  readonly onFocus: () => void;
}

/** Where a person says what they want, with what the sentence is about as chips. */
export function Composer(props: ComposerProps): ReactNode {
  const { inputRef, busy, mentions, onUnmention, onSay, onStop, onFocus } = props;
  const [text, setText] = useState("");
  const images = useImages();
  // A turn is steered with words alone; pictures wait for the next one.
  const picturesWait = busy && images.ids.length > 0;
  const canSay = text.trim() !== "" && !images.uploading && !picturesWait;

  const say = (): void => {
    if (!canSay) return;
    onSay({ text: withMentions(text.trim(), mentions), images: images.ids });
    setText("");
    images.clear();
    for (const { key } of mentions) onUnmention(key);
  };
  const sayOnEnter = (event: KeyboardEvent): void => {
    // Enter that ends a composition (Japanese, Chinese, …) is not "send".
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    say();
  };
  const paste = (event: ClipboardEvent): void => images.add([...event.clipboardData.files]);

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
      className="grid gap-2 p-3 wide:px-4 wide:pb-4"
    >
      {images.problem !== undefined && <Problem {...images.problem} />}
      {(mentions.length > 0 || images.ids.length > 0) && (
        <ul aria-label="About" className="flex flex-wrap gap-1.5">
          {mentions.map(({ key, words }) => (
            <Chip key={key} label={words} onRemove={() => onUnmention(key)} />
          ))}
          {images.ids.map((id) => (
            <Chip key={id} label="picture" picture={artifactUrl(id, 64)} onRemove={() => images.remove(id)} />
          ))}
        </ul>
      )}
      {picturesWait && <Empty>Pictures can be sent once this answer is complete.</Empty>}
      <div className="flex items-end rounded-base border border-muted bg-raised focus-within:outline-2 focus-within:outline-text">
        <PictureButton onPick={images.add} />
        <textarea
          ref={inputRef}
          data-testid="composer"
          aria-label={busy ? "Add to your request" : "Ask or say what you want"}
          placeholder={busy ? "Add to your request…" : "Ask or say what you want…"}
          rows={1}
          value={text}
          maxLength={20_000}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={sayOnEnter}
          onPaste={paste}
          onFocus={onFocus}
          className="field-sizing-content max-h-40 min-h-9 min-w-0 flex-1 resize-none bg-transparent py-1.5 outline-none placeholder:text-muted"
        />
        {busy && (
          <IconButton label="Stop (Esc)" onClick={onStop}>
            <Square aria-hidden="true" size={16} />
          </IconButton>
        )}
        <IconButton label="Send" type="submit" disabled={!canSay}>
          <ArrowUp aria-hidden="true" size={18} />
        </IconButton>
      </div>
    </form>
  );
}

function PictureButton({ onPick }: { readonly onPick: (files: readonly File[]) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label="Add a picture" onClick={() => input.current?.click()}>
        <ImagePlus aria-hidden="true" size={18} />
      </IconButton>
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={({ target }) => {
          onPick([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
  );
}

interface ChipProps {
  readonly label: string;
  readonly picture?: string;
  readonly onRemove: () => void;
}

function Chip({ label, picture, onRemove }: ChipProps): ReactNode {
  return (
    <li className="flex max-w-full items-center gap-1 rounded-base bg-pressed pl-2 text-small">
      {picture !== undefined && <img src={picture} alt="" className="h-5 w-8 object-cover" />}
      <span className="truncate">{label}</span>
      <button
        type="button"
        aria-label={`Remove ${label}`}
        onClick={onRemove}
        className="grid size-6 shrink-0 place-items-center text-muted hover:text-text"
      >
        <X aria-hidden="true" size={14} />
      </button>
    </li>
  );
}

interface Images {
  readonly ids: readonly string[];
  readonly uploading: boolean;
  readonly problem: { readonly message: string; readonly onRetry: () => void } | undefined;
  add(files: readonly File[]): void;
  remove(id: string): void;
  clear(): void;
}

/** Pictures of the sentence: stored as soon as they are picked, sent by id. */
function useImages(): Images {
  const { api } = useApp();
  const [ids, setIds] = useState<readonly string[]>([]);
  const [uploading, setUploading] = useState(0);
  const [failed, setFailed] = useState<{ readonly message: string; readonly file: File }>();

  const upload = async (file: File): Promise<void> => {
    setUploading((count) => count + 1);
    setFailed(undefined);
    try {
      const { id } = await api.uploadImage(file);
      setIds((known) => (known.includes(id) ? known : [...known, id]));
    } catch (cause) {
      setFailed({ message: cause instanceof Error ? cause.message : String(cause), file });
    } finally {
      setUploading((count) => count - 1);
    }
  };

  return {
    ids,
    uploading: uploading > 0,
    problem: failed && { message: failed.message, onRetry: () => void upload(failed.file) },
    add: (files) => {
      for (const file of files) if (file.type.startsWith("image/")) void upload(file);
    },
    remove: (id) => setIds((known) => known.filter((other) => other !== id)),
    clear: () => setIds([]),
  };
}
