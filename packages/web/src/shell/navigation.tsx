import { Link, useLocation } from "@tanstack/react-router";
import { Cctv, Keyboard, LogOut, MessageSquare } from "lucide-react";
import type { ReactNode } from "react";

export interface NavigationProps {
  readonly chatOpen: boolean;
  readonly onLive: () => void;
  readonly onChat: () => void;
  readonly onKeys: () => void;
  /** Absent where signing out would leave no way back but the terminal. */
  readonly onSignOut: (() => void) | undefined;
}

const ITEM =
  "grid min-h-12 min-w-16 content-center justify-items-center gap-0.5 rounded-base text-small text-muted hover:bg-pressed hover:text-text";

/** A rail on a wide screen, a bar at the thumb on a phone. */
export function Navigation({ chatOpen, onLive, onChat, onKeys, onSignOut }: NavigationProps): ReactNode {
  const isLive = useLocation({ select: ({ pathname }) => pathname === "/" || pathname.startsWith("/cameras") });
  return (
    <nav
      aria-label="Pages"
      className="fixed inset-x-0 bottom-0 z-30 flex h-14 items-center justify-around gap-1 border-line border-t bg-surface wide:static wide:h-full wide:w-20 wide:flex-col wide:justify-start wide:border-t-0 wide:border-r wide:py-3"
    >
      <Link
        to="/"
        onClick={onLive}
        aria-current={isLive ? "page" : undefined}
        className={`aria-[current=page]:font-semibold aria-[current=page]:text-text ${ITEM}`}
      >
        <Cctv aria-hidden="true" size={20} />
        Live
      </Link>
      <button type="button" aria-expanded={chatOpen} onClick={onChat} className={`wide:hidden ${ITEM}`}>
        <MessageSquare aria-hidden="true" size={20} />
        Chat
      </button>
      <button type="button" onClick={onKeys} className={`max-wide:hidden wide:mt-auto ${ITEM}`}>
        <Keyboard aria-hidden="true" size={20} />
        Keys
      </button>
      {onSignOut !== undefined && (
        <button type="button" onClick={onSignOut} className={ITEM}>
          <LogOut aria-hidden="true" size={20} />
          Sign out
        </button>
      )}
    </nav>
  );
}
