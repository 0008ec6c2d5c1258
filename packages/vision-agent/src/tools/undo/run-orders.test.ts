import type { AgentEvent } from "@vision-agent/agent-core";
import { describe, expect, it } from "vitest";
import { createRunOrders } from "./run-orders.ts";

describe("the order that a run carries out", () => {
  it("goes on after a question, and ends with the next message", () => {
    const orders = createRunOrders(() => undefined);
    const orderOf = (runId: string, trigger: string): string => {
      orders.note({ type: "run_started", sessionId: "s", runId, trigger } as AgentEvent);
      return orders.of({ sessionId: "s", runId });
    };
    const first = orderOf("r1", "message");
    expect([orderOf("r2", "resume"), orderOf("r3", "resume")]).toEqual([first, first]);
    expect(orderOf("r4", "message")).not.toBe(first);
  });

  it("is known after a restart from what was kept", () => {
    const orders = createRunOrders((start) => (start === "s " ? "s r1" : undefined));
    orders.note({ type: "run_started", sessionId: "s", runId: "r2", trigger: "resume" } as AgentEvent);
    expect(orders.of({ sessionId: "s", runId: "r2" })).toBe("s r1");
  });
});
