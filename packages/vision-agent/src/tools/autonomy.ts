// a call about to run → how far it reaches → run it, or ask a person first
import type { Json, Tool, ToolContext } from "@vision-agent/agent-core";

/**
 * `advisory` asks before everything that changes, tells or costs · `supervised` before what cannot be undone,
 * leaves the app or costs much · `autonomous` never.
 */
export type AutonomyLevel = (typeof AUTONOMY_LEVELS)[number];
export const AUTONOMY_LEVELS = ["advisory", "supervised", "autonomous"] as const;

/** What one call does: it only looks, changes something, tells somebody, or costs money. */
export interface Effect {
  readonly grade: "look" | "change" | "tell" | "cost";
  /** Cannot be undone, leaves the app, or costs much. Default false. */
  readonly grave?: boolean;
  /** What a person is asked, as a whole sentence. Default: whether the tool may be used. */
  readonly question?: string;
  /** Why the call would fail whatever a person says; looked up before anybody is asked. Undefined when it would not. */
  readonly refusal?: () => Promise<string | undefined>;
}

/** A tool that knows how far each call reaches. */
export interface GradedTool<A = { readonly [key: string]: Json }> extends Tool<A> {
  /** Looks only. */
  effectOf(args: A, context: ToolContext): Effect | Promise<Effect>;
}

/** A tool that only looks, whatever it is asked. */
export function lookOnly<A>(tool: Tool<A>): GradedTool<A> {
  return { ...tool, effectOf: () => ({ grade: "look" }) };
}

/** Confirmations are pauses of the run: they survive a restart and are answered from any interface. */
export function withAutonomy<A>(tool: GradedTool<A>, level: AutonomyLevel): Tool<A> {
  return {
    ...tool,
    approval: async (args, context) => {
      const effect = await tool.effectOf(args, context);
      if (!asksFirst(level, effect)) return { decision: "allow" };
      const refusal = await effect.refusal?.();
      if (refusal !== undefined) return { decision: "deny", message: refusal };
      return { decision: "ask", prompt: effect.question ?? `May I use ${tool.name}?` };
    },
  };
}

export function asksFirst(level: AutonomyLevel, { grade, grave = false }: Effect): boolean {
  if (grade === "look" || level === "autonomous") return false;
  return level === "advisory" || grave;
}
