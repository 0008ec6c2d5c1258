import type { ReactNode } from "react";
import { DialogFrame } from "../look/dialog-frame.tsx";
import { KEY_WORDS } from "./keys.ts";

export interface KeysDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly singleKeys: boolean;
  readonly onSingleKeys: (on: boolean) => void;
}

export function KeysDialog({ open, onClose, singleKeys, onSingleKeys }: KeysDialogProps): ReactNode {
  return (
    <DialogFrame open={open} onClose={onClose} title="Keyboard shortcuts" size="text">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 p-4">
        {KEY_WORDS.map(([key, words]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-base border border-line px-1.5 font-mono text-small">{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <label className="flex min-h-11 items-center gap-2 border-line border-t px-4 text-small">
        <input
          type="checkbox"
          checked={singleKeys}
          onChange={({ target }) => onSingleKeys(target.checked)}
          className="size-4 accent-text"
        />
        Enable single-key shortcuts (Esc always works)
      </label>
    </DialogFrame>
  );
}
