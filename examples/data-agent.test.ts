import { scriptedModel } from "@vision-agent/agent-core/testing";
import { expect, it } from "vitest";
import { askAboutData, type Dataset } from "./data-agent.ts";

it("AF-41 keeps datasets by a reducer of its own, and what an unknown tool said under its name", async () => {
  const llm = scriptedModel([
    { toolCalls: [{ name: "describe_dataset" }, { name: "read_csv" }] },
    { text: "May was best, with 9." },
  ]);
  const csv = "month,sold\nApril,4\nMay,9\n";
  const { answer, environment } = await askAboutData({ llm, model: "scripted", csv, question: "Which month?" });

  expect(answer).toBe("May was best, with 9.");
  expect(environment.getExtension<Record<string, Dataset>>("datasets")).toEqual({
    sales: { rows: 2, columns: ["month", "sold"] },
  });
  expect(environment.get("/knowledge/read_csv")).toEqual([
    ["April", "4"],
    ["May", "9"],
  ]);
});
