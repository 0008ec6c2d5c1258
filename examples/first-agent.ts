import { createAgent, defineTool } from "@vision-agent/agent-core";
import { anthropic } from "@vision-agent/agent-core/anthropic";
import { z } from "zod";

const thermometer = defineTool({
  name: "read_thermometer",
  description: "The temperature in a city, in degrees Celsius.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: 4 °C`,
});
const agent = createAgent({ model: anthropic(), tools: [thermometer], instructions: "Answer in one sentence." });
console.log((await agent.run("How warm is it in Oslo?")).text);
