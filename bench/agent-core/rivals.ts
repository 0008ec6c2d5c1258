// the same agent with one tool, three times: on the bare SDK, on this library and on the AI SDK
import Anthropic from "@anthropic-ai/sdk";
import { createAgent, defineTool } from "@vision-agent/agent-core";
import { anthropic, DEFAULT_ANTHROPIC_MODEL } from "@vision-agent/agent-core/anthropic";
import type { AnthropicLoopback } from "@vision-agent/agent-core/testing";
import { type LanguageModel as AiModel, ToolLoopAgent, tool } from "ai";
import { z } from "zod";

/** Asks once, streams the answer to its end and gives the number of characters that came. */
export type Ask = () => Promise<number>;

export type Rival = "bare" | "ours" | "ai";

const QUESTION = "How warm is it in Oslo?";
const INSTRUCTIONS = "Answer briefly.";
const DESCRIPTION = "Weather in a city.";
const MAX_TOKENS = 16_000;
const input = z.object({ city: z.string() });
const weatherIn = ({ city }: z.infer<typeof input>) => ({ city, celsius: 21 });

/** Loaded when it is needed, so that whoever does not measure need not install it. */
const AI_PROVIDER: string = "@ai-sdk/anthropic";
type AiProvider = {
  createAnthropic(settings: { apiKey: string; baseURL: string }): (model: string) => AiModel;
};

/** By name, all against this server. */
export async function createRivals(api: AnthropicLoopback): Promise<Readonly<Record<Rival, Ask>>> {
  return { bare: askBare(api), ours: askOurs(api), ai: await askAiSdk(api) };
}

/** The loop by hand: as little as works. */
function askBare(api: AnthropicLoopback): Ask {
  const client = new Anthropic({ apiKey: api.apiKey, baseURL: api.url, maxRetries: 0 });
  const schema = z.toJSONSchema(input) as Anthropic.Tool.InputSchema;
  const tools = [{ name: "weather", description: DESCRIPTION, input_schema: schema }];
  return async () => {
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION }];
    for (let length = 0; ; ) {
      const request = { model: DEFAULT_ANTHROPIC_MODEL, max_tokens: MAX_TOKENS, system: INSTRUCTIONS, tools, messages };
      const stream = client.messages.stream(request);
      for await (const event of stream) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta")
          length += event.delta.text.length;
      }
      const { content, stop_reason } = await stream.finalMessage();
      if (stop_reason !== "tool_use") return length;
      const calls = content.filter((block) => block.type === "tool_use");
      const results = calls.map((call) => ({
        type: "tool_result" as const,
        tool_use_id: call.id,
        content: JSON.stringify(weatherIn(input.parse(call.input))),
      }));
      messages.push({ role: "assistant", content }, { role: "user", content: results });
    }
  };
}

function askOurs(api: AnthropicLoopback): Ask {
  const model = anthropic(DEFAULT_ANTHROPIC_MODEL, { apiKey: api.apiKey, baseURL: api.url, refreshProfiles: false });
  const weather = defineTool({ name: "weather", description: DESCRIPTION, parameters: input, execute: weatherIn });
  const agent = createAgent({ model, tools: [weather], instructions: INSTRUCTIONS });
  return async () => {
    let length = 0;
    const stream = agent.stream(QUESTION);
    for await (const event of stream) if (event.type === "text_delta") length += event.text.length;
    await stream.result();
    return length;
  };
}

async function askAiSdk(api: AnthropicLoopback): Promise<Ask> {
  const { createAnthropic } = (await import(AI_PROVIDER)) as AiProvider;
  const provider = createAnthropic({ apiKey: api.apiKey, baseURL: `${api.url}/v1` });
  const weather = tool({ description: DESCRIPTION, inputSchema: input, execute: weatherIn });
  const agent = new ToolLoopAgent({
    model: provider(DEFAULT_ANTHROPIC_MODEL),
    tools: { weather },
    instructions: INSTRUCTIONS,
    maxOutputTokens: MAX_TOKENS,
    maxRetries: 0,
  });
  return async () => {
    let length = 0;
    const stream = await agent.stream({ prompt: QUESTION });
    for await (const part of stream.fullStream) {
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") length += part.text.length;
    }
    return length;
  };
}
