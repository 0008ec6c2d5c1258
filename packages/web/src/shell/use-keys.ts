import { useEffect, useEffectEvent } from "react";
import { type KeyAction, keyAction } from "./keys.ts";

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
