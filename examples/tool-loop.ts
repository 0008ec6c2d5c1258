// ANTHROPIC_API_KEY=… node examples/tool-loop.ts "How warm is it in Oslo?" → an agent with one tool, watched while it works
import { createAgent, defineTool, type LanguageModel } from "@vision-agent/agent-core";
import { anthropic } from "@vision-agent/agent-core/anthropic";
import { z } from "zod";

const thermometer = defineTool({
  name: "read_thermometer",
  description: "The temperature in a city, in degrees Celsius.",
  parameters: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  execute: ({ city }) => `${city}: ${city.length} °C`,
});

/** Asks once and writes what happens, as it happens. */
export async function askWithTool(options: {
  model: LanguageModel;
  question: string;
  write: (text: string) => void;
}): Promise<string> {
  const { model, question, write } = options;
  await using agent = createAgent({
    model,
    tools: [thermometer],
    instructions: "Answer with what the thermometer says.",
  });
  const stream = agent.stream(question);
  for await (const event of stream) {
    if (event.type === "text_delta") write(event.text);
    if (event.type === "discarded") write("\n[The connection broke off. The answer begins again.]\n");
    if (event.type === "tool_call") write(`[${event.call.toolName} ${JSON.stringify(event.call.arguments)}]\n`);
  }
  return (await stream.result()).text;
}

if (import.meta.main) {
  const question = process.argv[2] ?? "How warm is it in Oslo?";
  await askWithTool({ model: anthropic(), question, write: (text) => process.stdout.write(text) });
}
