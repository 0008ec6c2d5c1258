// model → gateway → chat client, timed token by token, while every core is busy with frames
import { availableParallelism } from "node:os";
import type { PipelineStatus } from "@vision-agent/protocol";
import { createParser } from "eventsource-parser";
import {
  callProduct,
  getJson,
  postJson,
  type RunningProduct,
  startProduct,
  temporaryWorkspace,
  until,
} from "../packages/vision-agent/e2e/start-product.ts";
import { type Benchmark, percentile, round } from "./figure.ts";
import { openTokenSource, type TokenSource } from "./token-source.ts";

const TOKENS = 150;
const EVERY_MS = 20;
const ROUNDS = 3;
const LATE_MS = 50;
/** Nothing else runs: what is later than this waits for something. */
const IDLE_LATE_MS = 15;

/** How late a chat token is, idle and with two pipelines per core running as fast as they can. */
export const chatLatency: Benchmark = {
  about: "chat token latency through the gateway, idle and with every core busy with frames",
  async run({ signal, say }) {
    const tokens = await openTokenSource({ count: TOKENS, everyMs: EVERY_MS });
    const home = await temporaryWorkspace();
    const product = await startProduct({
      workspace: home.folder,
      flags: ["--no-demo"],
      env: { ANTHROPIC_API_KEY: "bench", ANTHROPIC_BASE_URL: tokens.address },
    });
    try {
      say("idle …");
      const idle = await measure(product, tokens, signal);
      const count = 2 * availableParallelism();
      say(`busy with ${count} pipelines …`);
      await keepBusy(product, count);
      const busy = await measure(product, tokens, signal);
      const fps = (await getJson<PipelineStatus[]>(product, `/api/pipelines`)).reduce((sum, p) => sum + p.fps, 0);
      return figures(idle, busy, fps);
    } finally {
      await product.stop();
      await tokens.close();
      await home.remove();
    }
  },
};

function figures(idle: readonly number[], busy: readonly number[], fps: number) {
  const idleP95 = percentile(idle, 0.95);
  const [idleP99, busyP50, busyP99] = [percentile(idle, 0.99), percentile(busy, 0.5), percentile(busy, 0.99)];
  const goal = `at most ${LATE_MS} ms`;
  return [
    {
      name: "chat_token_idle_p95",
      value: round(idleP95),
      unit: "ms",
      goal: `under ${IDLE_LATE_MS} ms`,
      met: idleP95 < IDLE_LATE_MS,
    },
    { name: "chat_token_idle_p99", value: round(idleP99), unit: "ms", goal, met: idleP99 <= LATE_MS },
    { name: "chat_token_busy_p50", value: round(busyP50), unit: "ms", goal, met: busyP50 <= LATE_MS },
    { name: "chat_token_busy_p99", value: round(busyP99), unit: "ms", goal, met: busyP99 <= LATE_MS },
    {
      name: "chat_token_busy_p99_of_interval",
      value: round(busyP99 / EVERY_MS),
      unit: "x",
      goal: "at most 2.5 intervals between tokens",
      met: busyP99 / EVERY_MS <= 2.5,
    },
    {
      name: "busy_pipelines_total",
      value: round(fps, 1),
      unit: "fps",
      goal: "more than 0: the cores are busy",
      met: fps > 0,
    },
  ];
}

/** Frames as fast as a core can make and judge them: the rate asked for is above what it can do. */
async function keepBusy(product: RunningProduct, count: number): Promise<void> {
  const workflow = {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps: [
      {
        type: "roboflow_core/roboflow_object_detection_model@v2",
        name: "model",
        images: "$inputs.image",
        model_id: "sim/truth",
      },
      {
        type: "roboflow_core/byte_tracker@v3",
        name: "tracker",
        image: "$inputs.image",
        detections: "$steps.model.predictions",
      },
      {
        type: "roboflow_core/bounding_box_visualization@v1",
        name: "boxes",
        image: "$inputs.image",
        predictions: "$steps.tracker.tracked_detections",
      },
    ],
    outputs: [{ type: "JsonField", name: "tracked", selector: "$steps.tracker.tracked_detections" }],
  };
  for (let n = 0; n < count; n += 1) {
    // Each its own scene: pipelines on one camera share their frames.
    const sources = [`sim://street?width=1920&height=1080&fps=30&seed=${n + 1}`];
    await postJson(product, `/api/pipelines`, { sources, workflow, name: `busy-${n}`, max_fps: 30 });
  }
  await until(async () => {
    const all = await getJson<PipelineStatus[]>(product, `/api/pipelines`);
    return all.length === count && all.every((pipeline) => pipeline.frames_processed > 30) ? true : undefined;
  }, 60_000);
}

async function measure(product: RunningProduct, tokens: TokenSource, signal: AbortSignal): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    signal.throwIfAborted();
    const { id } = await postJson<{ id: string }>(product, `/api/sessions`, {});
    const response = await callProduct(product, `/api/sessions/${id}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ text: "speak" }),
      signal,
    });
    if (!response.ok || response.body === null) throw new Error(`The chat answered ${response.status}.`);
    await readTokens(response.body, tokens, delays);
  }
  return delays;
}

async function readTokens(body: ReadableStream<Uint8Array>, tokens: TokenSource, delays: number[]): Promise<void> {
  const parser = createParser({
    onEvent({ event, data }) {
      if (event !== "text_delta") return;
      const arrived = performance.now();
      const { text } = JSON.parse(data) as { text: string };
      for (const match of text.matchAll(/t(\d+) /g)) {
        const sent = tokens.sentAt(Number(match[1]));
        if (sent !== undefined) delays.push(arrived - sent);
      }
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
}
