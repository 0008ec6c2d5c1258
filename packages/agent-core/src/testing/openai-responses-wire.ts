// the Responses API: what the real one refuses, and the events it sends
import type { OpenAIReply, OpenAIReplyBlock } from "./openai-reply.ts";
import { argumentsOf } from "./openai-reply.ts";
import {
  findFunctionProblem,
  findSamplingProblem,
  halves,
  isLoose,
  isObjectAtTop,
  isPicture,
  isWire,
  listOf,
  type OpenAIRequest,
  sealReasoning,
  TOP_MESSAGE,
  type Wire,
} from "./openai-wire.ts";

/** The words of a refusal; undefined when all is well. */
export function findResponsesProblem(body: OpenAIRequest): string | undefined {
  const items = listOf(body.input);
  if (items.length === 0) return "Missing required parameter: 'input'";
  const functions = listOf(body.tools).filter(({ type }) => type === "function");
  if (functions.some(({ strict }) => typeof strict !== "boolean")) return "tools: strict is required";
  const effort = isWire(body.reasoning) ? body.reasoning.effort : undefined;
  const cap = body.max_output_tokens;
  if (cap !== undefined && !(Number.isInteger(cap) && (cap as number) >= 16)) return "max_output_tokens: at least 16";
  return (
    findSamplingProblem(body, effort) ??
    findFunctionProblem(functions, body.tool_choice) ??
    findFormatProblem(body.text) ??
    findContentProblem(items) ??
    findReasoningProblem(body.model, items) ??
    findAnswerProblem(items)
  );
}

function findFormatProblem(text: unknown): string | undefined {
  const format = isWire(text) ? text.format : undefined;
  if (!isWire(format) || format.type !== "json_schema") return undefined;
  if (typeof format.name !== "string") return "text.format: a name is required";
  if (!isObjectAtTop(format.schema)) return `Invalid schema for text.format: ${TOP_MESSAGE}`;
  return format.strict === true && isLoose(format.schema) ? "text.format: schema is not strict" : undefined;
}

function findContentProblem(items: readonly Wire[]): string | undefined {
  const parts = items.flatMap(({ content, output }) => [...listOf(content), ...listOf(output)]);
  const images = parts.filter(({ type }) => type === "input_image");
  if (images.some(({ detail }) => detail === undefined)) return "input_image: detail is required";
  return images.every(({ image_url: url }) => isPicture(url)) ? undefined : "input_image: invalid image";
}

/** Nothing is stored, so reasoning comes back sealed, for the same model, before what it led to. */
function findReasoningProblem(model: string, items: readonly Wire[]): string | undefined {
  for (const [index, item] of items.entries()) {
    if (item.type !== "reasoning") continue;
    if (!item.encrypted_content) return `Item with id '${String(item.id)}' not found. Items are not persisted.`;
    if (item.encrypted_content !== sealReasoning(model, String(item.id))) {
      return "The encrypted content could not be verified";
    }
    const next = items[index + 1];
    const leads = next?.type === "function_call" || next?.type === "reasoning" || next?.role === "assistant";
    if (!leads) return `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item`;
  }
  return undefined;
}

function findAnswerProblem(items: readonly Wire[]): string | undefined {
  const asked = items.flatMap(({ type, call_id: id }) => (type === "function_call" ? [id] : []));
  const answered = items.flatMap(({ type, call_id: id }) => (type === "function_call_output" ? [id] : []));
  const orphan = answered.find((id) => !asked.includes(id));
  if (orphan !== undefined) return `No tool call found for function call output with call_id ${String(orphan)}`;
  if (new Set(answered).size !== answered.length) return "Duplicate function call output";
  const open = asked.find((id) => !answered.includes(id));
  return open === undefined ? undefined : `No tool output found for function call ${String(open)}`;
}

interface WireItem {
  readonly item: object;
  readonly events: readonly { readonly type: string; readonly [key: string]: unknown }[];
}

/** The events of the answer, in order and numbered. */
export function toResponsesEvents(reply: OpenAIReply, request: OpenAIRequest, number: number): readonly Wire[] {
  const items = (reply.blocks ?? []).map((block, index) => toItem(block, request.model, `${number}_${index + 1}`));
  const output = items.map(({ item }) => item);
  const head = { id: `resp_${number}`, object: "response", created_at: 1_794_700_000, model: request.model };
  const begun = { ...head, status: "in_progress", output: [] };
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flatMap(({ events: own }, output_index) => own.map((event) => ({ ...event, output_index }))),
    ...toTerminal(reply, { ...head, output }),
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

function toTerminal(
  reply: OpenAIReply,
  response: object,
): readonly { readonly type: string; readonly response: object }[] {
  const finish = reply.finish === undefined ? "completed" : reply.finish;
  const usage = reply.usage === null ? {} : { usage: { ...USAGE, ...reply.usage } };
  if (finish === null) return [];
  if (finish === "completed")
    return [{ type: "response.completed", response: { ...response, status: finish, ...usage } }];
  if (finish === "failed") {
    const error = reply.error ?? { code: "server_error", message: "on purpose" };
    return [{ type: "response.failed", response: { ...response, status: finish, error } }];
  }
  const incomplete = { status: "incomplete", incomplete_details: { reason: finish } };
  return [{ type: "response.incomplete", response: { ...response, ...incomplete, ...usage } }];
}

const USAGE = {
  input_tokens: 310,
  input_tokens_details: { cached_tokens: 256, cache_write_tokens: 0 },
  output_tokens: 22,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 332,
};

function toItem(block: OpenAIReplyBlock, model: string, suffix: string): WireItem {
  switch (block.type) {
    case "text":
      return toMessage(`msg_${suffix}`, "output_text", block.text);
    case "refusal":
      return toMessage(`msg_${suffix}`, "refusal", block.text);
    case "thinking":
      return toReasoning(`rs_${suffix}`, model, block.text);
    case "item":
      return {
        item: block.item,
        events: [
          { type: "response.output_item.added", item: block.item },
          { type: "response.output_item.done", item: block.item },
        ],
      };
    case "tool_use": {
      const json = argumentsOf(block);
      const item = {
        id: `fc_${suffix}`,
        type: "function_call",
        call_id: block.id ?? `call_${suffix}`,
        name: block.name,
      };
      const whole = { ...item, status: "completed", arguments: json };
      const base = { item_id: item.id };
      return {
        item: whole,
        events: [
          { type: "response.output_item.added", item: { ...item, status: "in_progress", arguments: "" } },
          ...halves(json).map((delta) => ({ type: "response.function_call_arguments.delta", ...base, delta })),
          { type: "response.function_call_arguments.done", ...base, name: block.name, arguments: json },
          { type: "response.output_item.done", item: whole },
        ],
      };
    }
  }
}

function toMessage(id: string, type: "output_text" | "refusal", text: string): WireItem {
  const base = { item_id: id, content_index: 0 };
  const word = type === "refusal" ? "refusal" : "text";
  const part = (said: string): object => ({ type, [word]: said, ...(type === "refusal" ? {} : { annotations: [] }) });
  const head = { id, type: "message", role: "assistant" };
  const item = { ...head, status: "completed", content: [part(text)] };
  return {
    item,
    events: [
      { type: "response.output_item.added", item: { ...head, status: "in_progress", content: [] } },
      { type: "response.content_part.added", ...base, part: part("") },
      ...halves(text).map((delta) => ({ type: `response.${type}.delta`, ...base, delta, logprobs: [] })),
      { type: `response.${type}.done`, ...base, [word]: text, logprobs: [] },
      { type: "response.content_part.done", ...base, part: part(text) },
      { type: "response.output_item.done", item },
    ],
  };
}

function toReasoning(id: string, model: string, text: string): WireItem {
  const base = { item_id: id, summary_index: 0 };
  const part = (said: string): object => ({ type: "summary_text", text: said });
  const item = { id, type: "reasoning", summary: [part(text)], encrypted_content: sealReasoning(model, id) };
  return {
    item,
    events: [
      { type: "response.output_item.added", item: { id, type: "reasoning", summary: [] } },
      { type: "response.reasoning_summary_part.added", ...base, part: part("") },
      ...halves(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...base, delta })),
      { type: "response.reasoning_summary_text.done", ...base, text },
      { type: "response.reasoning_summary_part.done", ...base, part: part(text) },
      { type: "response.output_item.done", item },
    ],
  };
}
