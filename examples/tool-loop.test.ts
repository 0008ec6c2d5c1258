import { scriptedModel } from "@vision-agent/agent-core/testing";
import { expect, it } from "vitest";
import { askWithTool } from "./tool-loop.ts";

it("AF-29 calls the tool, hands its result back and answers", async () => {
  const llm = scriptedModel([
    { toolCalls: [{ name: "read_thermometer", args: { city: "Oslo" } }] },
    { text: "It is 4 °C in Oslo." },
  ]);
  let written = "";
  const answer = await askWithTool({
    model: { client: llm, id: "scripted" },
    question: "How warm is it in Oslo?",
    write: (text) => {
      written += text;
    },
  });
  expect(answer).toBe("It is 4 °C in Oslo.");
  expect(written).toContain('[read_thermometer {"city":"Oslo"}]');
  expect(JSON.stringify(llm.requests[1]?.messages)).toContain("Oslo: 4 °C");
});
