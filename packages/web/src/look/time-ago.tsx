import type { ReactNode } from "react";
import { relativeTime } from "./relative-time.ts";
import { useNow } from "./use-now.ts";

/** "12 s ago", with the exact time on hover. */
export function TimeAgo({ at }: { readonly at: string }): ReactNode {
  const now = useNow(1000);
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={new Date(atMs).toLocaleString()}>
      {relativeTime(atMs, now)}
    </time>
  );
}
