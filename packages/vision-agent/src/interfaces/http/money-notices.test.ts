import { createBudgetLedger, createMemoryLedgerStore, type Price, systemClock } from "@vision-agent/agent-core";
import { scriptedModel } from "@vision-agent/agent-core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { openBudgetView } from "../../agent/budget-view.ts";
import { fakeParts } from "../../testing/fake-http-parts.ts";
import { createHttpServer } from "./create-http-server.ts";
import type { HttpServer } from "./http-parts.ts";

/** A dollar a million each way: a token costs one. */
const PRICE: Price = {
  tiers: [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }],
  asOf: "2026-01-01",
};
const USED = "50 % of the limit of today is used: 0.052 USD of 0.1 USD.";
const STANDS_IN = "(The money for today is nearly used up, 0.00 USD of 0.00 USD: ";
const DIALECTS = ["native", "simple", "ui"] as const;

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe("a person who reads along", () => {
  it.each([
    ["native", { type: "warning", code: "budget", message: USED }],
    ["simple", { type: "warning", code: "budget", message: USED }],
    ["ui", { type: "data-notice", data: { code: "budget", message: USED } }],
  ] as const)("VA-22 is told once that half of the day's money is used, in the %s dialect", async (dialect, notice) => {
    const { say } = await app({ limit: 100_000 });
    const notices = async () => (await say(dialect)).filter(isNotice);
    expect([await notices(), await notices(), await notices()]).toEqual([[], [notice], []]);
  });

  it.each(DIALECTS)("VA-22 is told why a turn did not run, in the %s dialect", async (dialect) => {
    const { say } = await app({ limit: 10 });
    const why = "Stopped at the cost limit";
    const notices = (await say(dialect)).filter(isNotice);
    expect(notices.map((notice) => JSON.stringify(notice))).toEqual([expect.stringContaining(why)]);
  });

  it.each(DIALECTS)("is told who stands in for the model, in the %s dialect", async (dialect) => {
    const smaller = await app({ limit: 1_000, standIn: "smaller" });
    expect(words(await smaller.say(dialect))).toBe(
      `Hello.\n\n${STANDS_IN}small-1 answers in place of scripted until midnight.)`,
    );
    const offline = await app({ limit: 10, standIn: "offline" });
    expect(words(await offline.say(dialect))).toContain(`${STANDS_IN}the offline interpreter answers in place of`);
  });
});

type Piece = {
  readonly type: string;
  readonly text?: string;
  readonly delta?: string;
  readonly outcome?: { readonly status: string };
};

function isNotice({ type, outcome }: Piece): boolean {
  return type === "warning" || type === "data-notice" || outcome?.status === "stopped";
}

function words(pieces: readonly Piece[]): string {
  const spoken = pieces.filter(({ type }) => ["text_delta", "token", "text-delta"].includes(type));
  return spoken.map(({ text, delta }) => text ?? delta).join("");
}

interface Wanted {
  readonly limit: number;
  readonly standIn?: "smaller" | "offline";
}

async function app({ limit, standIn }: Wanted) {
  const ledger = createBudgetLedger({
    limits: { day: limit },
    timeZone: "UTC",
    clock: systemClock,
    store: createMemoryLedgerStore(),
  });
  const model = scriptedModel(() => ({ text: "Hello.", usage: { inputTokens: 26_000, outputTokens: 0 } }));
  const price = (name: string) => (name === "small-1" ? { ...PRICE, tiers: PRICE.tiers.map(free) } : PRICE);
  const server = await createHttpServer(
    fakeParts({
      client: { ...model, profile: async (name) => ({ ...(await model.profile(name)), price: price(name) }) },
      standIns: {
        config: { maxTokens: 100 },
        price: PRICE,
        ...(standIn === "smaller" && { smaller: { model: "small-1", price: price("small-1") } }),
        ...(standIn === "offline" && { offline: { known, modelFor: () => "sim/truth", timeZone: "UTC" } }),
      },
      budget: { ledger, budgetView: await openBudgetView({ ledger, clock: systemClock }) },
    }),
  );
  servers.push(server);
  const { id } = (await server.inject({ method: "POST", url: "/api/sessions" })).json();
  const say = async (dialect: (typeof DIALECTS)[number]): Promise<readonly Piece[]> => {
    const { body } = await server.inject({
      method: "POST",
      url: `/api/sessions/${id}/messages?dialect=${dialect}`,
      headers: { accept: "text/event-stream" },
      payload: { text: "Hello" },
    });
    return [...body.matchAll(/^data: (\{.*\})$/gm)].map(([, json = ""]) => JSON.parse(json) as Piece);
  };
  return { say };
}

function known() {
  return { cameras: [], pipelines: [] };
}

function free(tier: Price["tiers"][number]): Price["tiers"][number] {
  return { ...tier, input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
}
