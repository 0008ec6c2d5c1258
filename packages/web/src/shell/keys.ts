import { useEffect, useEffectEvent } from "react";

/** What a key on the page asks for. */
export type KeyAction =
  | { readonly kind: "compose" }
  | { readonly kind: "camera"; readonly index: number }
  | { readonly kind: "wall" }
  | { readonly kind: "escape" }
  | { readonly kind: "show_keys" };

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

export interface KeySituation {
  /** The focus is where letters are written. */
  readonly typing: boolean;
  /** A dialog is open and has the keys to itself. */
  readonly inDialog: boolean;
  /** Keys of one letter may be switched off, for those who speak or press by accident. */
  readonly singleKeys: boolean;
}

export const KEY_WORDS: readonly (readonly [key: string, words: string])[] = [
  ["/", "write a message"],
  ["1 – 9", "show a camera"],
  ["0", "show all cameras"],
  ["← →", "step through events"],
  ["Esc", "stop the answer, or close the chat"],
  ["?", "show these shortcuts"],
];

export function keyAction(press: KeyPress, situation: KeySituation): KeyAction | undefined {
  if (situation.inDialog || press.ctrlKey || press.metaKey || press.altKey) return undefined;
  if (press.key === "Escape") return { kind: "escape" };
  if (situation.typing || !situation.singleKeys) return undefined;
  if (press.key === "/") return { kind: "compose" };
  if (press.key === "?") return { kind: "show_keys" };
  if (press.key === "0") return { kind: "wall" };
  if (/^[1-9]$/.test(press.key)) return { kind: "camera", index: Number(press.key) - 1 };
  return undefined;
}

/** Listens for the keys of the page. */
export function useKeys(act: (action: KeyAction) => void, singleKeys: boolean): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const focused = document.activeElement;
    const action = keyAction(event, {
      typing:
        focused instanceof HTMLElement && (focused.matches("input, textarea, select") || focused.isContentEditable),
      inDialog: document.querySelector("[role=dialog]") !== null,
      singleKeys,
    });
    if (action === undefined) return;
    event.preventDefault();
    act(action);
  });

  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    // Before any dialog closes itself on the same key and is gone when we look.
    document.addEventListener("keydown", listen, { capture: true });
    return () => document.removeEventListener("keydown", listen, { capture: true });
  }, []);
}
