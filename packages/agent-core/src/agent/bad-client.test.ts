import { expect, it } from "vitest";
import { createAgent, type LLMClient } from "../index.ts";
import { scriptedModel } from "../testing/scripted-model.ts";

it.each([undefined, {}, { message: { parts: [] } }])(
  "a client of the program's own fails by name when its result is no answer (%j)",
  async (answer) => {
    const stream = () => ({
      async *[Symbol.asyncIterator]() {
        yield { type: "alive" };
      },
      result: async () => answer,
    });
    const client = { ...scriptedModel([]), stream } as unknown as LLMClient;
    const run = createAgent({ model: { id: "m", client } }).run("Hi");
    await expect(run).rejects.toMatchObject({ code: "bad_client", message: expect.stringContaining("`result()`") });
  },
);
