import { stepSentence } from "@vision-agent/protocol/step-sentence";
import { Check, ChevronRight, LoaderCircle, Minus, X } from "lucide-react";
import type { ReactNode } from "react";
import { durationWords } from "../look/times.tsx";
import { NOT_EXECUTED, type StepView } from "./run-view.ts";

/** One line for a tool call: "started dock-count on dock, 0.4 s"; opens to arguments and result. */
export function ToolLine({ step }: { readonly step: StepView }): ReactNode {
  const { result } = step;
  const { verb, subject, place } = stepSentence(step.tool, step.arguments, result?.outcome === "ok");
  return (
    <details className="group [&+details]:-mt-2 border-line border-y text-small [&+details]:border-t-0">
      <summary className="flex min-h-8 items-center gap-2 text-muted hover:text-text">
        <StepIcon outcome={result?.outcome} />
        <span className="min-w-0 truncate">
          {verb}
          {subject !== "" && <em className="text-text not-italic"> {subject}</em>}
          {place}
          {result !== undefined && !isGood(result.outcome) && `: ${outcomeWords(result.outcome)}`}
          {result?.duration_ms != null && `, ${durationWords(result.duration_ms)}`}
        </span>
        <ChevronRight aria-hidden="true" size={14} className="ml-auto shrink-0 group-open:rotate-90" />
      </summary>
      <dl className="grid gap-1 pb-2">
        <dt className="text-muted">
          <code className="font-mono">{step.tool}</code>
        </dt>
        <dd>
          <Json text={JSON.stringify(step.arguments, undefined, 2)} label="Arguments" />
        </dd>
        {result !== undefined && result.outcome !== NOT_EXECUTED && (
          <>
            <dt className="text-muted">Result: {outcomeWords(result.outcome)}</dt>
            <dd>
              <Json text={result.text} label="Result" />
            </dd>
          </>
        )}
      </dl>
    </details>
  );
}

function isGood(outcome: string): boolean {
  return outcome === "ok";
}

function outcomeWords(outcome: string): string {
  return outcome === NOT_EXECUTED ? "not done" : outcome.replaceAll("_", " ");
}

function StepIcon({ outcome }: { readonly outcome: string | undefined }): ReactNode {
  if (outcome === undefined)
    return <LoaderCircle aria-label="working" size={14} className="shrink-0 motion-safe:animate-spin" />;
  if (isGood(outcome)) return <Check aria-label="done" size={14} className="shrink-0 text-ok" />;
  if (outcome === NOT_EXECUTED || outcome === "denied")
    return <Minus aria-label={outcomeWords(outcome)} size={14} className="shrink-0" />;
  return <X aria-label="failed" size={14} className="shrink-0 text-critical" />;
}

function Json({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="max-h-60 overflow-auto rounded-base bg-pressed px-2 py-1">
      <pre className="whitespace-pre-wrap break-words font-mono text-small">{text}</pre>
    </section>
  );
}
