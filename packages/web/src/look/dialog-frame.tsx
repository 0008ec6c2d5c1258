import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";

export interface DialogFrameProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** `picture` takes the room a picture wants. */
  readonly size: "text" | "picture";
  /** Keys that work wherever the focus is in the dialog. */
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

const WIDTHS = { text: "w-[min(28rem,calc(100vw-2rem))]", picture: "w-[min(72rem,calc(100vw-2rem))]" } as const;

export function DialogFrame({ open, onClose, title, children, size, onKeyDown }: DialogFrameProps): ReactNode {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Popup
          onKeyDown={onKeyDown}
          className={`-translate-x-1/2 -translate-y-1/2 fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] flex-col rounded-base border border-line bg-raised text-text ${WIDTHS[size]}`}
        >
          <header className="flex items-center justify-between gap-4 border-line border-b py-1.5 pr-1.5 pl-4">
            <Dialog.Title className="min-w-0 truncate font-semibold text-base">{title}</Dialog.Title>
            <Dialog.Close
              aria-label="Close"
              className="inline-grid size-9 shrink-0 place-items-center rounded-base text-muted hover:bg-pressed hover:text-text"
            >
              <X aria-hidden="true" size={18} />
            </Dialog.Close>
          </header>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
