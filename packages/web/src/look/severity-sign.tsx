import type { Severity } from "@vision-agent/protocol";
import { Info, OctagonAlert, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

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
