import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

it("AF-29 answers with one tool, in at most 12 lines and 3 imports", async () => {
  const call = { type: "tool_use", id: "t1", name: "read_thermometer", input: { city: "Oslo" } } as const;
  const api = await startAnthropicLoopback({
    script: [{ blocks: [call] }, { blocks: [{ type: "text", text: "It is 4 °C." }] }],
  });
  const { fetch } = globalThis;
  // The program asks the provider's own address.
  vi.stubGlobal("fetch", (address: string | URL, init?: RequestInit) =>
    fetch(String(address).replace("https://api.anthropic.com", api.url), init),
  );
  vi.stubEnv("ANTHROPIC_API_KEY", api.apiKey);
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    await import("./first-agent.ts");
    expect(log.mock.calls).toEqual([["It is 4 °C."]]);
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
    await api.close();
  }
  const text = await readFile(join(import.meta.dirname, "first-agent.ts"), "utf8");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  expect(lines.length).toBeLessThanOrEqual(12);
  expect(lines.filter((line) => line.startsWith("import "))).toHaveLength(3);
});
