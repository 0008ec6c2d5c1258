// the same inference by our client and by a bare fetch, in turns, against a server that answers at once
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInferenceClient, type InferenceClient, systemClock } from "@vision-agent/inference-client";
import { type Figure, percentile, round } from "../figure.ts";

const ROUNDS = 300;
const WARM_UP = 50;
const MEDIAN = 0.5;
/** About the size of a 1280 × 720 JPEG of a camera. */
const PICTURE_BYTES = 120_000;
const PATH = "/infer/object_detection";

/** What one inference costs beyond the request itself: encoding, limits, parsing. */
export async function measureOverhead(): Promise<readonly Figure[]> {
  const server = await startServer();
  const client = createInferenceClient({ url: server.url, clock: systemClock });
  const picture = pictureOf(PICTURE_BYTES);
  const body = JSON.stringify({
    model_id: "coco/3",
    image: { type: "base64", value: picture.toString("base64") },
    confidence: 0.4,
  });
  const ours: number[] = [];
  const bare: number[] = [];
  try {
    // In turns, so that a busy moment of the machine meets both.
    for (let turn = -WARM_UP; turn < ROUNDS; turn += 1) {
      const bareMs = await timed(() => askBare(server.url, body));
      const oursMs = await timed(() => askOurs(client, picture));
      if (turn < 0) continue;
      bare.push(bareMs);
      ours.push(oursMs);
    }
  } finally {
    client.close();
    await server.close();
  }
  return toFigures(percentile(ours, MEDIAN), percentile(bare, MEDIAN));
}

function toFigures(oursMs: number, bareMs: number): readonly Figure[] {
  const overheadMs = oursMs - bareMs;
  return [
    { name: "infer_by_client", value: round(oursMs), unit: "ms", goal: "to compare with", met: true },
    { name: "infer_by_bare_fetch", value: round(bareMs), unit: "ms", goal: "to compare with", met: true },
    { name: "client_overhead", value: round(overheadMs), unit: "ms", goal: "at most 2 ms", met: overheadMs <= 2 },
    { name: "client_ratio", value: round(oursMs / bareMs), unit: "x", goal: "to compare with", met: true },
  ];
}

async function askBare(url: string, body: string): Promise<void> {
  const answer = await fetch(`${url}${PATH}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await answer.json();
}

async function askOurs(client: InferenceClient, image: Uint8Array): Promise<void> {
  await client.infer({ modelId: "coco/3", image, confidence: 0.4 });
}

/** Answers every request at once with twenty boxes. */
async function startServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const box = { x: 160, y: 80, width: 80, height: 60, confidence: 0.7, class: "car", class_id: 2, detection_id: "d" };
  const answer = JSON.stringify({ image: { width: 1280, height: 720 }, time: 0, predictions: Array(20).fill(box) });
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(answer);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** The beginning of a JPEG file and then noise: nobody here decodes it. */
function pictureOf(bytes: number): Buffer {
  const picture = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += 1) picture[at] = (at * 31) % 251;
  picture.set([0xff, 0xd8, 0xff, 0xe0]);
  return picture;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
