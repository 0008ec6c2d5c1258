// npm run bench -- NAME [--json] → figures
import { agentCore } from "./agent-core.ts";
import { alerts } from "./alerts/alerts.ts";
import { chatLatency } from "./chat-latency.ts";
import { client } from "./client/client.ts";
import { engine } from "./engine.ts";
import type { Benchmark, Figure } from "./figure.ts";
import { load } from "./load.ts";
import { memory } from "./memory/memory.ts";

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  "agent-core": agentCore,
  alerts,
  "chat-latency": chatLatency,
  client,
  engine,
  load,
  memory,
};

const words = process.argv.slice(2);
const asJson = words.includes("--json");
const names = words.filter((word) => !word.startsWith("-"));
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

if (names.length === 0 || words.includes("--help")) {
  console.log("Usage: npm run bench -- NAME [--json]\n");
  for (const [name, { about }] of Object.entries(BENCHMARKS)) console.log(`  ${name.padEnd(16)} ${about}`);
  process.exitCode = names.length === 0 && !words.includes("--help") ? 2 : 0;
}
for (const name of names) {
  const benchmark = BENCHMARKS[name];
  if (benchmark === undefined) {
    console.error(`There is no benchmark "${name}". There are: ${Object.keys(BENCHMARKS).join(", ")}.`);
    process.exitCode = 2;
    break;
  }
  const say = (line: string): void => console.error(line);
  for (const figure of await benchmark.run({ signal: stop.signal, say })) print(figure);
}

function print(figure: Figure): void {
  if (asJson) console.log(JSON.stringify(figure));
  else {
    const { name, value, unit, goal, met } = figure;
    console.log(
      `${name.padEnd(34)} ${String(value).padStart(10)} ${unit.padEnd(6)} ${met ? "met" : "MISSED"} (${goal})`,
    );
  }
}
