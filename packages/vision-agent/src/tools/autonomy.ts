// a call about to run → how far it reaches → run it, or ask a person first
import type { Tool } from "@vision-agent/agent-core";
import type { CallGrade, GradedTool } from "./graded-tool.ts";

/**
 * `advisory` asks before everything that changes, tells or costs · `supervised` before what cannot be undone,
 * leaves the app or costs much · `autonomous` never.
 */
export type AutonomyLevel = (typeof AUTONOMY_LEVELS)[number];
export const AUTONOMY_LEVELS = ["advisory", "supervised", "autonomous"] as const;

/** Confirmations are pauses of the run: they survive a restart and are answered from any interface. */
export function withAutonomy<A>(tool: GradedTool<A>, level: AutonomyLevel): Tool<A> {
  return {
    ...tool,
    approval: async (args, context) => {
      const grade = await tool.gradeOf(args, context);
      if (!asksFirst(level, grade)) return { decision: "allow" };
      const refusal = await grade.refusal?.();
      if (refusal !== undefined) return { decision: "deny", message: refusal };
      return { decision: "ask", prompt: grade.question ?? `May I use ${tool.name}?` };
    },
  };
}

export function asksFirst(level: AutonomyLevel, { grade, grave = false }: CallGrade): boolean {
  if (grade === "look" || level === "autonomous") return false;
  return level === "advisory" || grave;
}
