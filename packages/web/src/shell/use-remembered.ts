import { useCallback, useState } from "react";

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
