import type { Severity } from "@vision-agent/protocol";
import { Info, OctagonAlert, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { TextButton } from "./buttons.tsx";

/** The reason shows after one second: what is quicker needs none. */
export function Loading({ reason }: { readonly reason: string }): ReactNode {
  return (
    <p role="status" className="animate-after-a-second text-small text-muted">
      {reason}
    </p>
  );
}

export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="text-small text-muted">{children}</p>;
}

export interface ProblemProps {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly onRetry: () => void;
}

/** One sentence, the way out, and a retry. */
export function Problem({ message, hint, onRetry }: ProblemProps): ReactNode {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
      <p>
        <span className="font-semibold text-critical">Something went wrong. </span>
        {message} {hint}
      </p>
      <TextButton onClick={onRetry}>Try again</TextButton>
    </div>
  );
}

export type BarTone = "calm" | "warn";

/** One slim line across the page: something works less well than it could. */
export function DegradedBar({ tone, children }: { readonly tone: BarTone; readonly children: ReactNode }): ReactNode {
  return (
    <div
      role="status"
      className={`flex min-h-8 flex-wrap items-center gap-x-3 border-line border-b px-4 py-1 text-small ${
        tone === "warn" ? "bg-pressed text-text" : "text-muted"
      }`}
    >
      {children}
    </div>
  );
}

const SIGNS = {
  info: { Shape: Info, colour: "text-muted", word: "Info" },
  warning: { Shape: TriangleAlert, colour: "text-warn", word: "Warning" },
  critical: { Shape: OctagonAlert, colour: "text-critical", word: "Critical" },
} as const;

/** Severity as shape, word and colour together. */
export function SeveritySign({ severity }: { readonly severity: Severity }): ReactNode {
  const { Shape, colour, word } = SIGNS[severity];
  return (
    <span className={`inline-flex items-center gap-1 font-semibold text-small ${colour}`}>
      <Shape aria-hidden="true" size={16} />
      {word}
    </span>
  );
}
