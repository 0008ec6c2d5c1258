import { useCallback, useState, useSyncExternalStore } from "react";

/** A small setting of this browser. */
export function useRemembered(key: string, fallback: string): readonly [value: string, set: (value: string) => void] {
  const [value, setValue] = useState(() => localStorage.getItem(key) ?? fallback);
  const set = useCallback(
    (next: string) => {
      localStorage.setItem(key, next);
      setValue(next);
    },
    [key],
  );
  return [value, set];
}

// The same width as --breakpoint-wide in theme.css.
const wide = matchMedia("(min-width: 1100px)");

/** Whether the chat stands beside the picture; otherwise it is a sheet over it. */
export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches);
}

function subscribe(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  return () => wide.removeEventListener("change", listener);
}
