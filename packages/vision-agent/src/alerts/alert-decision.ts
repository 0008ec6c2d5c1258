// what became of a scene event: told, or which gate said no
import { type SceneEvent, type Severity, type Watch, type Why, whySchema } from "@vision-agent/protocol";
import type { z } from "zod";
import type { QuietReason } from "../watches/watch-times.ts";

/** What became of one scene event; `failures` are filled in as channels fail. */
export type AlertDecision = Why["decisions"][number];
export const alertDecisionSchema: z.ZodType<AlertDecision> = whySchema.shape.decisions.element;
export type AlertGate = NonNullable<AlertDecision["gate"]>;

export interface ToldVerdict {
  readonly severity: Severity;
  readonly reason: string;
  readonly cooldownMs: number;
  /** The watch that asked for it. */
  readonly watch?: Watch;
}
export type AlertVerdict = ToldVerdict | { readonly silent: string; readonly gate: AlertGate };

/** Whether a watch wants to tell of what it waited for, before any cooldown. */
export function wantedByWatch(
  watch: Watch | undefined,
  { timestamp }: Pick<SceneEvent, "timestamp">,
  quiet: (watch: Watch, ms: number) => QuietReason | undefined,
): AlertVerdict {
  if (watch === undefined) return { silent: "The watch that asked for it has been removed since.", gate: "removed" };
  const { words, severity, cooldown_seconds, muted_until } = watch;
  const ms = Date.parse(timestamp);
  if (muted_until !== undefined && ms < Date.parse(muted_until)) {
    return { silent: `The watch "${words}" was muted.`, gate: "muted" };
  }
  const reason = quiet(watch, ms);
  if (reason) return { silent: `The watch "${words}" alerts ${reason.text}.`, gate: reason.gate };
  return { severity, reason: `The watch "${words}" asked for it.`, cooldownMs: cooldown_seconds * 1000, watch };
}
