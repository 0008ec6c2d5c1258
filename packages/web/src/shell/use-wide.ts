import { useSyncExternalStore } from "react";

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
