// many readers and requests beside running pipelines → how much memory grows and how late the server answers
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { PipelineStatus } from "@vision-agent/protocol";
import {
  getJson,
  postJson,
  type RunningProduct,
  startProduct,
  temporaryWorkspace,
  until,
} from "../packages/vision-agent/e2e/start-product.ts";
import { type Benchmark, percentile, round } from "./figure.ts";

const READERS = 200;
const REQUESTS_PER_SECOND = 50;
const SECONDS = 300;
/** Code is compiled and buffers have their size after this; growth is counted from here. */
const WARM_UP_SECONDS = 30;
const MOST_GROWTH_MB = 50;
const LATEST_MS = 100;
const PATHS = ["/healthz", "/api/pipelines", "/api/events?limit=50", "/api/watches", "/api/cameras"];

/** What 200 open dashboards and 50 requests a second do to the server for five minutes. */
export const load: Benchmark = {
  about: `${READERS} live readers and ${REQUESTS_PER_SECOND} requests a second for ${SECONDS} s beside two pipelines`,
  async run({ signal, say }) {
    const home = await temporaryWorkspace();
    const product = await startProduct({ workspace: home.folder, flags: ["--no-demo"] });
    const leave = new AbortController();
    try {
      await startPipelines(product);
      const readers = openReaders(product, leave.signal);
      say(`${READERS} readers, ${WARM_UP_SECONDS} s of warming up …`);
      await sendRequests(product, WARM_UP_SECONDS, signal);
      const before = await residentMegabytes(product.pid);
      say(`${SECONDS} s of load …`);
      const answers = await sendRequests(product, SECONDS, signal);
      const growth = (await residentMegabytes(product.pid)) - before;
      return figures(answers, growth, readers);
    } finally {
      leave.abort();
      await product.stop();
      await home.remove();
    }
  },
};

interface Answers {
  readonly healthMs: readonly number[];
  readonly failed: number;
}

interface Readers {
  open: number;
  received: number;
}

function figures({ healthMs, failed }: Answers, growth: number, readers: Readers) {
  const p99 = percentile(healthMs, 0.99);
  return [
    {
      name: "load_healthz_p50",
      value: round(percentile(healthMs, 0.5)),
      unit: "ms",
      goal: "for comparison",
      met: true,
    },
    { name: "load_healthz_p99", value: round(p99), unit: "ms", goal: `under ${LATEST_MS} ms`, met: p99 < LATEST_MS },
    {
      name: "load_memory_growth",
      value: round(growth, 1),
      unit: "MB",
      goal: `under ${MOST_GROWTH_MB} MB`,
      met: growth < MOST_GROWTH_MB,
    },
    { name: "load_failed_requests", value: failed, unit: "count", goal: "none", met: failed === 0 },
    {
      name: "load_open_readers",
      value: readers.open,
      unit: "count",
      goal: `all ${READERS}, and each receives`,
      met: readers.open === READERS && readers.received > READERS,
    },
  ];
}

async function startPipelines(product: RunningProduct): Promise<void> {
  const step = { type: "roboflow_core/roboflow_object_detection_model@v2", name: "model", model_id: "sim/truth" };
  const workflow = {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps: [{ ...step, images: "$inputs.image" }],
    outputs: [{ type: "JsonField", name: "found", selector: "$steps.model.predictions" }],
  };
  for (const scene of ["street", "warehouse"]) {
    await postJson(product, "/api/pipelines", { sources: [`sim://${scene}`], workflow, name: scene });
  }
  await until(async () => {
    const all = await getJson<PipelineStatus[]>(product, "/api/pipelines");
    return all.length === 2 && all.every((pipeline) => pipeline.frames_processed > 10) ? true : undefined;
  }, 60_000);
}

/** Readers of the live stream, as many dashboards would be. */
function openReaders(product: RunningProduct, signal: AbortSignal): Readers {
  const readers: Readers = { open: 0, received: 0 };
  for (let n = 0; n < READERS; n += 1) {
    const headers = { authorization: `Bearer ${product.token}` };
    const call = request(`${product.address}/api/stream`, { signal, headers, agent: false }, (response) => {
      readers.open += 1;
      response.on("data", () => {
        readers.received += 1;
      });
      response.on("error", () => undefined); // cut off at the end
      response.on("close", () => {
        readers.open -= 1;
      });
    });
    call.on("error", (error) => {
      if (!signal.aborted) throw error;
    });
    call.end();
  }
  return readers;
}

/** Sends at a fixed pace, whether answers come or not: a slow server is not spared. */
async function sendRequests(product: RunningProduct, seconds: number, signal: AbortSignal): Promise<Answers> {
  const healthMs: number[] = [];
  let failed = 0;
  const calls: Promise<void>[] = [];
  const start = performance.now();
  for (let n = 0; n < seconds * REQUESTS_PER_SECOND; n += 1) {
    await sleep(Math.max(0, start + (n * 1000) / REQUESTS_PER_SECOND - performance.now()), undefined, { signal });
    const path = PATHS[n % PATHS.length] ?? "/healthz";
    const sent = performance.now();
    const read = async (): Promise<void> => {
      try {
        await getJson(product, path);
        if (path === "/healthz") healthMs.push(performance.now() - sent);
      } catch {
        failed += 1;
      }
    };
    calls.push(read());
  }
  await Promise.all(calls);
  return { healthMs, failed };
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
