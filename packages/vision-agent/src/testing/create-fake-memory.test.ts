import { createFakeMemory } from "./create-fake-memory.ts";
import { memoryContract } from "./memory-contract.ts";

memoryContract("fake", async () => {
  let nowMs = Date.parse("2026-02-11T14:05:00Z");
  const setTime = (local: string): void => {
    nowMs = Date.parse(`${local}:00Z`);
  };
  return { memory: createFakeMemory({ now: () => nowMs }), setTime };
});
