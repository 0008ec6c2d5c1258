// what a model would say, step by step, read from what it was answered → replies of the loopback server
import { readImageHeader } from "@vision-agent/agent-core";
import type { LoopbackOptions, LoopbackReply, ReplyBlock, WireRequest } from "@vision-agent/agent-core/testing";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { z } from "zod";

/** What the last message of a request holds. */
export interface Heard {
  /** Of each call, in order. */
  readonly results: readonly { readonly text: string; readonly failed: boolean }[];
  /** What the person said, and what stands at the tail of it. */
  readonly text: string;
  /** Sizes of the pictures beside the text, in pixels. */
  readonly images: readonly { readonly width: number; readonly height: number }[];
}

export type Step = (heard: Heard) => LoopbackReply;

/** One step for each request; who asks for more hears that the script is over. */
export function toScript(steps: readonly Step[]): LoopbackOptions["script"] {
  return (request, number) => {
    const step = steps[number - 1];
    return step === undefined ? say("The script is over.") : step(hear(request));
  };
}

export function say(text: string): LoopbackReply {
  return { blocks: [{ type: "text", text }] };
}

/** Calls that are made at once. */
export function call(...calls: readonly (readonly [name: string, input: object])[]): LoopbackReply {
  return { blocks: calls.map(([name, input]): ReplyBlock => ({ type: "tool_use", name, input })) };
}

/** The id of the picture that came with the message. */
export function pictureIn({ text }: Heard): string {
  return /art_[0-9a-f]{32}/.exec(text)?.[0] ?? "no picture was named";
}

/** The id of the pipeline that a result tells of. */
export function pipelineIn({ results }: Heard): string {
  return /\((\S+)\) on /.exec(results[0]?.text ?? "")?.[1] ?? "no pipeline was named";
}

/** The first line of each result, as it came. */
export function firstLines({ results }: Heard): string {
  return results.map(({ text }) => text.split("\n")[0]).join("\n");
}

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const imageBlock = z.object({ type: z.literal("image"), source: z.object({ data: z.base64() }) });
const resultBlock = z.object({
  type: z.literal("tool_result"),
  is_error: z.boolean().default(false),
  content: z.union([z.string(), z.array(z.unknown())]).default([]),
});

function hear({ messages }: WireRequest): Heard {
  const content = messages.at(-1)?.content ?? [];
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return {
    results: blocks.flatMap((block) => {
      const { data } = resultBlock.safeParse(block);
      return data === undefined ? [] : [{ text: withoutMarks(textOf(data.content)), failed: data.is_error }];
    }),
    text: textOf(blocks),
    images: blocks.flatMap((block) => {
      const { data } = imageBlock.safeParse(block);
      const header = data && readImageHeader(Buffer.from(data.source.data, "base64"));
      return header === undefined ? [] : [{ width: header.width, height: header.height }];
    }),
  };
}

/** What came from outside stands between marks. */
function withoutMarks(text: string): string {
  return text.replace(/^<untrusted from="[^"]*">\n/, "").replace(/\n<\/untrusted>$/, "");
}

function textOf(content: string | readonly unknown[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => textBlock.safeParse(block).data?.text ?? []).join("\n");
}

/** `- tracker.type: … Did you mean "x"?`, as tools name what is wrong with a workflow. */
const PROBLEM = /^- ([\w$-]+)\.([\w-]+): (.*)$/gm;

/**
 * A workflow with everything set right that an error text says how to set right, and nothing else:
 * knows no workflow and no mistake of its own.
 */
export function mend(spec: WorkflowSpec, error: string): WorkflowSpec {
  let mended = spec;
  for (const [, step = "", property = "", message = ""] of error.matchAll(PROBLEM)) {
    const meant = /Did you mean "([^"]+)"\?/.exec(message)?.[1];
    const written = /You wrote "([^"]+)"/.exec(message)?.[1];
    if (meant === undefined) continue;
    const change = (one: Readonly<Record<string, unknown>>) =>
      written === undefined ? { ...one, [property]: meant } : renamed(one, written, meant);
    mended = {
      ...mended,
      steps: mended.steps.map((one) => (one.name === step ? { ...one, ...change(one) } : one)),
      outputs: mended.outputs.map((one) =>
        step === "$outputs" && one.name === property ? { ...one, selector: meant } : one,
      ),
    };
  }
  return mended;
}

function renamed(one: Readonly<Record<string, unknown>>, from: string, to: string): Readonly<Record<string, unknown>> {
  const { [from]: value, ...rest } = one;
  return { ...rest, [to]: value, [from]: undefined };
}
