// three agents, one server, in turns → what each adds to the bare SDK, as figures and as a table
import { type LoopbackReply, startAnthropicLoopback, type WireRequest } from "@vision-agent/agent-core/testing";
import { type Figure, percentile, round } from "../figure.ts";
import { FEATURES } from "./features.data.ts";
import { countLines, readFirstAgents } from "./first-agents.ts";
import { createRivals, type Rival } from "./rivals.ts";
import { busyMs } from "./size.ts";

const TOKENS = 2_000;
const ROUNDS = 10;
const ASKED = 5;
const MEDIAN = 0.5;
const RIVALS: readonly Rival[] = ["bare", "ours", "ai"];

type Times = Readonly<Record<Rival, number>>;

interface Comparison {
  readonly figures: readonly Figure[];
  /** Markdown. */
  readonly table: string;
}

/** A plain answer, one of 2,000 pieces, and one that needs a tool. */
export async function compareLibraries(root: string): Promise<Comparison> {
  const short = await measure(() => ({ blocks: [{ type: "text", text: "Yes." }] }));
  const long = await measure(() => ({ blocks: [textInPieces(TOKENS)] }));
  const withTool = await measure(callThenAnswer);
  const perTurn = (who: Rival): number => short[who] - short.bare;
  const perToken = (who: Rival): number => (long[who] - long.bare - perTurn(who)) / TOKENS;
  const perToolTurn = (who: Rival): number => withTool[who] - withTool.bare;
  const agents = readFirstAgents(root);
  const lines = countLines(agents.ours);

  const limit = (name: string, value: number, most: number): Figure => ({
    name,
    value: round(value, 4),
    unit: "ms",
    goal: `at most ${most} ms`,
    met: value <= most,
  });
  const other = (name: string, value: number): Figure => ({
    name,
    value: round(value, 4),
    unit: "ms",
    goal: "for comparison",
    met: true,
  });
  const figures: readonly Figure[] = [
    limit("overhead_per_turn", perTurn("ours"), 5),
    limit("overhead_per_token", perToken("ours"), 0.1),
    other("overhead_per_tool_turn", perToolTurn("ours")),
    other("ai_overhead_per_turn", perTurn("ai")),
    other("ai_overhead_per_token", perToken("ai")),
    other("ai_overhead_per_tool_turn", perToolTurn("ai")),
    other("sdk_turn", short.bare),
    {
      name: "lines_of_first_agent",
      value: lines.lines,
      unit: "lines",
      goal: "at most 12 lines and 3 imports",
      met: lines.lines <= 12 && lines.imports <= 3,
    },
  ];
  const lineCell = (code: string): string => {
    const { lines: all, imports } = countLines(code);
    return `${all}, of them ${imports} imports`;
  };
  const ms = (value: number): string => `${round(value)} ms`;
  const microseconds = (value: number): string => `${round(value * 1_000, 1)} µs`;
  const rows: readonly (readonly string[])[] = [
    ["", "agent-core", "`ai` 7", "pi"],
    ["---", "---", "---", "---"],
    ["lines of the first agent", lineCell(agents.ours), lineCell(agents.ai), lineCell(agents.pi)],
    ["a turn of the bare SDK takes", ms(short.bare), ms(short.bare), "not measured"],
    ["added to a turn of the bare SDK", ms(perTurn("ours")), ms(perTurn("ai")), "not measured"],
    ["added to a turn with a tool call", ms(perToolTurn("ours")), ms(perToolTurn("ai")), "not measured"],
    ["added per streamed token", microseconds(perToken("ours")), microseconds(perToken("ai")), "not measured"],
    ...FEATURES,
  ];
  return { figures, table: rows.map((row) => `| ${row.join(" | ")} |`).join("\n") };
}

/** Milliseconds of this thread per answer, the server's share included: what else the machine does is not counted. */
async function measure(script: (request: WireRequest) => LoopbackReply): Promise<Times> {
  const api = await startAnthropicLoopback({ script });
  const asks = await createRivals(api);
  const samples: Record<Rival, number[]> = { bare: [], ours: [], ai: [] };
  const ask = async (who: Rival): Promise<void> => {
    if ((await asks[who]()) === 0) throw new Error(`${who} streamed no text.`);
  };
  try {
    // In turns, so that a busy moment meets all; the first round only warms up. Several each, as the system counts coarsely.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const who of RIVALS) {
        const ms = await busyMs(() => ask(who), { warmUps: 0, rounds: ASKED });
        if (round > 0) samples[who].push(ms);
      }
    }
  } finally {
    await api.close();
  }
  const median = (who: Rival): number => percentile(samples[who], MEDIAN);
  return { bare: median("bare"), ours: median("ours"), ai: median("ai") };
}

function callThenAnswer({ messages }: WireRequest): LoopbackReply {
  const isAnswered = JSON.stringify(messages.at(-1)).includes('"tool_result"');
  if (isAnswered) return { blocks: [{ type: "text", text: "It is 21 °C." }] };
  return { blocks: [{ type: "tool_use", name: "weather", input: { city: "Oslo" } }] };
}

/** One text block that comes in so many pieces. */
function textInPieces(count: number): LoopbackReply["blocks"][number] {
  const deltas = Array.from({ length: count }, (_, n) => ({ type: "text_delta", text: `t${n} ` }));
  const start = { type: "text", text: "", citations: null };
  return { type: "provider", start, deltas, whole: { ...start, text: deltas.map(({ text }) => text).join("") } };
}
