import { environmentFromJson } from "@vision-agent/agent-core/environment";
import { scriptedModel } from "@vision-agent/agent-core/testing";
import { expect, it } from "vitest";
import { type CodeDesign, writeCode } from "./coding-agent.ts";

it("AF-40 keeps a typed extension through tools, transcript and JSON", async () => {
  const llm = scriptedModel([
    {
      toolCalls: [
        { name: "plan_module", args: { name: "stack", purpose: "last in, first out", why: "a list is enough" } },
        { name: "write_file", args: { name: "stack.ts", text: "export const stack = [];" } },
      ],
    },
    { text: "The stack is written." },
  ]);
  const { answer, files, environment } = await writeCode({ llm, model: "scripted", task: "Write a stack." });

  expect(answer).toBe("The stack is written.");
  expect(files.get("stack.ts")).toBe("export const stack = [];");
  const design = environment.getExtension<CodeDesign>("code_design");
  expect(design).toEqual({
    modules: [{ name: "stack", purpose: "last in, first out" }],
    decisions: ["a list is enough"],
  });
  expect(environment.state.workspace.files["stack.ts"]).toEqual({ characters: 24 });

  const again = environmentFromJson(JSON.parse(JSON.stringify(environment)));
  expect(again.getExtension<CodeDesign>("code_design")).toEqual(design);
  expect(again.version).toBe(environment.version);
});

it("AF-40 tells the model what changed in its world", async () => {
  const plan = { name: "plan_module", args: { name: "queue", purpose: "first in, first out", why: "asked for" } };
  const llm = scriptedModel([{ toolCalls: [plan] }, { text: "Planned." }]);
  await writeCode({ llm, model: "scripted", task: "Plan a queue." });
  const [first, second] = llm.requests.map(({ messages }) => JSON.stringify(messages));
  expect(first).toContain("Plan a queue.");
  expect(first).not.toContain("first in, first out");
  expect(second).toContain("code_design/modules");
});
