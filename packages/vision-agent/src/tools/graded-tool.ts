// what a tool does and how it is told → a tool of agent-core, whose text is made from its data, last
import { createHash } from "node:crypto";
import type { ArgumentsOf, ImagePart, JsonSchema, Tool, ToolContext, ToolReturn } from "@vision-agent/agent-core";
import { type Effect, type ToolDataOf, type ToolName, toolDataSchemas } from "@vision-agent/protocol";
import { BackendError } from "../backends/backend.ts";
import { SkillError } from "../skills/parse-skill.ts";
import type { DestinationStore } from "../store/destination-store.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import type { PictureUse } from "./ask-egress.ts";
import { createCallMemo } from "./call-memo.ts";
import type { ReachedPlace } from "./reached-place.ts";

/** What one call does: it only looks, changes something, tells somebody, or costs money. */
export interface CallGrade {
  readonly grade: "look" | "change" | "tell" | "cost";
  /** Stops much at once, or costs much. Default false. */
  readonly grave?: boolean;
  /** Cannot be undone, or takes from a watch what it looks at: asked on every level. Default false. */
  readonly always?: boolean;
  /** Where it reaches; a place that nobody approved before is asked about on every level. Default: nowhere. */
  readonly destinations?: readonly ReachedPlace[];
  /** What a person is asked, as a whole sentence made from data. Default: whether the tool may be used. */
  readonly question?: string;
  /** What a yes holds for beside the arguments, such as the workflow that a name stands for. Must be JSON. */
  readonly subject?: unknown;
  /** Why the call would fail whatever a person says; looked up before anybody is asked. Undefined when it would not. */
  readonly refusal?: () => Promise<string | undefined>;
}

/** A tool that knows how far each call reaches. */
export interface GradedTool<A = never, D = unknown> extends Tool<A> {
  /** Looks only. */
  gradeOf(args: A, context: ToolContext): CallGrade | Promise<CallGrade>;
  /** Absent: the call hands on no picture of a camera. */
  readonly picturesOf?: ((args: A, context: ToolContext) => PictureUse | Promise<PictureUse>) | undefined;
  execute(args: A, context: ToolContext): Promise<ToolReturn<D>>;
}

/** A JSON Schema from which the type of its values cannot be read off. */
export interface SchemaFor<T> {
  readonly [VALUE]: T;
}
declare const VALUE: unique symbol;

export function schemaFor<T>(schema: JsonSchema): SchemaFor<T> {
  return schema as unknown as SchemaFor<T>;
}

type ArgumentOf<S> = S extends SchemaFor<infer T> ? T : ArgumentsOf<S>;

/** Schemas of a tool's arguments by name, and the names that must be there → the type of its arguments. */
export type ToolArguments<P, R = never> = {
  readonly [K in keyof P as K extends R ? K : never]: ArgumentOf<P[K]>;
} & { readonly [K in keyof P as K extends R ? never : K]?: ArgumentOf<P[K]> };

export interface VisionToolParts<N extends ToolName, P, R, A = ToolArguments<P, R>>
  extends Pick<
    Tool<A>,
    | "description"
    | "deferLoading"
    | "annotations"
    | "concurrency"
    | "timeoutMs"
    | "limits"
    | "untrusted"
    | "secretArguments"
  > {
  readonly name: N;
  /** JSON Schema of each argument; no others are taken. */
  readonly properties: P;
  readonly required?: readonly R[];
  /** Default: whatever it is asked, it only looks. */
  readonly gradeOf?: (args: A, context: ToolContext) => CallGrade | Promise<CallGrade>;
  /** Of which cameras the call hands on pictures. Default: none. */
  readonly picturesOf?: (args: A, context: ToolContext) => PictureUse | Promise<PictureUse>;
  /** Throws to fail. */
  readonly run: (
    args: A,
    context: ToolContext,
  ) => Promise<{ readonly data: ToolDataOf<N>; readonly images?: readonly ImagePart[]; readonly untrusted?: boolean }>;
  /** The text that the model reads. */
  readonly render: (data: ToolDataOf<N>) => string;
}

export function visionTool<
  N extends ToolName,
  const P extends { readonly [name: string]: object },
  const R extends keyof P = never,
>(parts: VisionToolParts<N, P, R>): GradedTool<ToolArguments<P, R>, ToolDataOf<N>> {
  const { run, render, properties, required, gradeOf = () => ({ grade: "look" }), ...rest } = parts;
  const parameters = { type: "object", additionalProperties: false, ...(required && { required }), properties };
  return {
    ...rest,
    gradeOf,
    parameters: parameters as unknown as JsonSchema,
    output: toolDataSchemas[parts.name],
    async execute(args, context) {
      const { data, images, untrusted } = await run(args, context);
      return { data, text: render(data), images, untrusted };
    },
  };
}

/** A call that failed after it had changed something. */
export class PartialFailure extends Error {
  readonly effects: readonly Effect[];

  constructor(thrown: unknown, effects: readonly Effect[]) {
    super(reasonOf(thrown), { cause: thrown });
    this.effects = effects;
  }
}

/** The words of these failures may be a stranger's: a server's, a camera's or those of a skill. */
function isFromOutside(thrown: unknown): boolean {
  if (thrown instanceof BackendError) return thrown.kind !== "not_found" && thrown.kind !== "cancelled";
  return thrown instanceof SkillError || (thrown instanceof Error && isFromOutside(thrown.cause));
}

/** What failed for a reason that came from outside is told as data, like a result. */
export function withMarkedErrors<A>(tool: GradedTool<A>): GradedTool<A> {
  return {
    ...tool,
    async execute(args, context) {
      try {
        return await tool.execute(args, context);
      } catch (thrown) {
        if (!isFromOutside(thrown)) throw thrown;
        return { data: undefined, text: reasonOf(thrown), isError: true, untrusted: true };
      }
    },
  };
}

/**
 * `advisory` asks before everything that changes, tells or costs · `supervised` before what stops or costs much, and
 * before any change after something from outside was read · `autonomous` before neither. All of them ask before what
 * cannot be undone and before new destinations.
 */
export type AutonomyLevel = (typeof AUTONOMY_LEVELS)[number];
const AUTONOMY_LEVELS = ["advisory", "supervised", "autonomous"] as const;

export interface ApprovalPolicy {
  readonly level: AutonomyLevel;
  /** Places that a person said yes to. */
  readonly destinations: Pick<DestinationStore, "isKnown" | "remember">;
  /** False for the offline interpreter: it follows the person's words alone, and opens only what they name. */
  readonly mayObeyText: boolean;
}

/** Confirmations are pauses of the run: they survive a restart and are answered from any interface. */
export function withApproval<A>(tool: GradedTool<A>, policy: ApprovalPolicy): Tool<A> {
  const { level, destinations, mayObeyText } = policy;
  const asked = createCallMemo<readonly ReachedPlace[]>();
  const isNamed = ({ kind }: ReachedPlace): boolean => !mayObeyText && (kind === "address" || kind === "path");
  const isNew = (one: ReachedPlace): boolean => !isNamed(one) && (!one.isFixed || !destinations.isKnown(one));
  return {
    ...tool,
    approval: async (args, context) => {
      const grade = await tool.gradeOf(args, context);
      const fresh = (grade.destinations ?? []).filter(isNew);
      const isTainted = mayObeyText && context.untrusted;
      if (fresh.length === 0 && !asksFirst(level, grade, isTainted)) return { decision: "allow" };
      const refusal = await grade.refusal?.();
      if (refusal !== undefined) return { decision: "deny", message: refusal };
      asked.put(context.idempotencyKey, fresh);
      return { decision: "ask", prompt: toPrompt(tool.name, grade), subject: toSubject(grade.subject) };
    },
    async execute(args, context) {
      const approved = asked.take(context.idempotencyKey) ?? [];
      await destinations.remember(approved.filter(({ isFixed }) => isFixed));
      return tool.execute(args, context);
    },
  };
}

export function asksFirst(level: AutonomyLevel, grade: CallGrade, isTainted: boolean): boolean {
  if (grade.always) return true;
  if (grade.grade === "look" || level === "autonomous") return false;
  return level === "advisory" || grade.grave === true || isTainted;
}

function toPrompt(name: string, { question = `May I use ${name}?`, destinations = [] }: CallGrade): string {
  return [...new Set([question, ...destinations.map(({ sentence }) => sentence)])].join(" ");
}

function toSubject(subject: unknown): string | undefined {
  return subject === undefined ? undefined : createHash("sha256").update(JSON.stringify(subject)).digest("hex");
}
