// a call that would hand on a camera's pictures → one question for each camera and destination, asked once
import type { AgentEvent, ApprovalDecision, Tool, ToolContext } from "@vision-agent/agent-core";
import type { Destination } from "../egress/destination.ts";
import type { EgressPair } from "../egress/egress-rules.ts";
import { describeQuestion, type Egress } from "../egress/open-egress.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";

/** Of which cameras a call hands on pictures, and to whom. */
export interface PictureUse {
  readonly cameras: readonly string[];
  /** `model` sees the picture in the result · `server` runs the model or the workflow. */
  readonly to: readonly ("model" | "server")[];
}

export interface EgressQuestions {
  readonly cameras: Pick<CameraRegistry, "find">;
  readonly egress: Pick<Egress, "ruleFor" | "rules">;
  /** Who would receive pictures now; none where no model sees, and nothing runs elsewhere. */
  readonly destinations: (to: "model" | "server") => Promise<readonly Destination[]>;
  /** Whether nobody is there to be asked, as in a scheduled run. */
  readonly isUnattended: (runId: string) => boolean;
}

type AskingTool<A> = Tool<A> & {
  readonly picturesOf?: (args: A, context: ToolContext) => PictureUse | Promise<PictureUse>;
};

/** A yes is remembered, and so is a no. Where nobody can be asked the call goes on, and its pictures stay here. */
export function withEgressQuestion<A>(tool: AskingTool<A>, questions: EgressQuestions): Tool<A> {
  const { picturesOf } = tool;
  if (picturesOf === undefined) return tool;
  return {
    ...tool,
    async approval(args, context) {
      const own = await ownDecision(tool, args, context);
      if (own.decision === "deny" || questions.isUnattended(context.runId)) return own;
      const pairs = await undecided(await picturesOf(args, context), questions);
      if (pairs.length === 0) return own;
      await questions.egress.rules.asked({ call: keyOf(context), pairs: [...pairs], alone: own.decision === "allow" });
      const question = describeQuestion(pairs);
      if (own.decision === "ask") return { ...own, prompt: `${own.prompt} ${question}` };
      return { decision: "ask", prompt: question };
    },
    async execute(args, context) {
      const { rules } = questions.egress;
      const question = await rules.takeQuestion(keyOf(context));
      if (question !== undefined) await rules.set(question.pairs, "allow");
      return tool.execute(args, context);
    },
  };
}

/** For a person's no: pictures of these cameras are not sent there from now on. */
export async function denyEgress(
  rules: Egress["rules"],
  call: Pick<ToolContext, "sessionId" | "callId">,
): Promise<void> {
  const question = await rules.takeQuestion(keyOf(call));
  if (question?.alone) await rules.set(question.pairs, "never");
}

/** Runs that began by themselves. */
export function createUnattendedRuns(): { note(event: AgentEvent): void; has(runId: string): boolean } {
  const runs = new Set<string>();
  return {
    note(event) {
      if (event.type === "run_started" && (event.trigger === "job" || event.trigger === "heartbeat"))
        runs.add(event.runId);
      if (event.type === "run_ended") runs.delete(event.runId);
    },
    has: (runId) => runs.has(runId),
  };
}

async function ownDecision<A>(
  { approval = "never", name }: Tool<A>,
  args: A,
  context: ToolContext,
): Promise<ApprovalDecision> {
  if (typeof approval === "function") return approval(args, context);
  return approval === "never" ? { decision: "allow" } : { decision: "ask", prompt: `May I use ${name}?` };
}

async function undecided({ cameras, to }: PictureUse, questions: EgressQuestions): Promise<readonly EgressPair[]> {
  const { egress, destinations } = questions;
  // People are asked about names that they gave, never about words of a model.
  const names = new Set(cameras.flatMap((camera) => questions.cameras.find(camera)?.name ?? []));
  const receivers = (await Promise.all(to.map((one) => destinations(one)))).flat();
  return [...names].flatMap((camera) =>
    receivers
      .filter((receiver) => egress.ruleFor(camera, receiver) === "ask")
      .map(({ host }) => ({ camera, destination: host })),
  );
}

function keyOf({ sessionId, callId }: Pick<ToolContext, "sessionId" | "callId">): string {
  return `${sessionId} ${callId}`;
}
