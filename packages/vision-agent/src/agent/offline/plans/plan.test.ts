import { expect, it } from "vitest";
import { type Batch, type Plan, runPlan, say } from "./plan.ts";

function* twoSteps(): Plan {
  yield [{ tool: "remove_watch", args: {} }];
  yield [{ tool: "stop_pipeline", args: {} }];
  return say("Done.");
}

it("goes no further after a person's no", () => {
  const answer = { tool: "remove_watch", ok: false, text: "Denied by a person." };
  const asked = (denied: boolean): readonly Batch[] => [
    { calls: [{ tool: "remove_watch", args: {} }], answers: [{ ...answer, denied }] },
  ];
  expect(runPlan(twoSteps(), asked(true), () => undefined)).toMatchObject({
    outcome: { text: "You said no, so I did nothing further." },
  });
  expect(runPlan(twoSteps(), asked(false), () => undefined).calls).toMatchObject([{ tool: "stop_pipeline" }]);
});
