// the same workflows on the same inputs: ours / the peer's
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameResult, WorkflowSpec } from "@vision-agent/protocol";
import {
  compileWorkflow,
  createEngine,
  createModelRegistry,
  DetectionTable,
  ImageValue,
  Timestamp,
} from "../../packages/vision-engine/src/index.ts";
import { createByteTrack } from "../../packages/vision-engine/src/tracking/byte-track.ts";
import { type Figure, round } from "../figure.ts";
import { cpuSeconds, findPeers, type Material, median } from "./machine.ts";
import { measurePeer, type PeerFigure } from "./peers.ts";

interface Tracks {
  readonly width: number;
  readonly height: number;
  /** Left, top, right, bottom, score, class of each box. */
  readonly frames: readonly (readonly (readonly number[])[])[];
}

const CLASS_NAMES = ["person", "bicycle", "car"];

/** Ratios to the peers, and one figure that says whether the counts agree. */
export async function peerFigures(material: Material, say: (line: string) => void): Promise<readonly Figure[]> {
  const peers = findPeers();
  if (peers === undefined) {
    say("The peers are not installed here: no ratios to them.");
    return [];
  }
  const workflows = JSON.parse(readFileSync(join(material.peers, "workflows.json"), "utf8")) as Record<
    string,
    WorkflowSpec
  >;
  const tracks = JSON.parse(readFileSync(join(material.peers, "tracks-50.json"), "utf8")) as Tracks;
  say("ByteTrack …");
  const tracker = ratioFigure(
    "ByteTrack, 50 objects: ours / peer",
    trackMs(tracks),
    measurePeer(material.peers, "bytetrack"),
    0.1,
  );
  say("analytics …");
  const analytics = await analyticsFigures(workflows.analytics!, tracks, measurePeer(material.peers, "engine"));
  say("watch …");
  const watch = await watchFigures(material, workflows.watch!, peers.folder);
  return [tracker, ...analytics, ...watch];
}

function trackMs({ frames }: Tracks): number {
  const tracker = createByteTrack();
  return median(
    frames.map((rows) => {
      const xyxy = Float64Array.from(
        rows.flatMap((row) => row.slice(0, 4)),
        Math.fround,
      );
      const confidence = Float64Array.from(rows, (row) => Math.fround(row[4]!));
      const begun = performance.now();
      tracker.update({ length: rows.length, xyxy, confidence });
      return performance.now() - begun;
    }),
  );
}

async function analyticsFigures(
  spec: WorkflowSpec,
  tracks: Tracks,
  peer: PeerFigure | undefined,
): Promise<readonly Figure[]> {
  const workflow = await compileWorkflow(spec, { models: createModelRegistry() });
  const times: number[] = [];
  let last: Readonly<Record<string, unknown>> = {};
  for (const [number, rows] of tracks.frames.entries()) {
    const inputs = { image: frameOf(tracks, number), detections: [detectionsOf(tracks, rows, number)] };
    const begun = performance.now();
    const [result] = await workflow.run(inputs);
    times.push(performance.now() - begun);
    last = result as Readonly<Record<string, unknown>>;
  }
  await workflow.close();
  const counts = [last.count, last.in, last.out].join(", ");
  const theirs = [peer?.count, peer?.count_in, peer?.count_out].join(", ");
  return [
    ratioFigure("analytics, 9 blocks: ours / peer", median(times), peer, 0.1),
    agreementFigure("analytics: counts", counts, theirs, counts === theirs),
  ];
}

function frameOf({ width, height }: Tracks, number: number): ImageValue {
  return new ImageValue({
    width,
    height,
    rgba: BLANK.subarray(0, 4 * width * height),
    video: {
      videoIdentifier: "cam",
      frameNumber: number,
      timestamp: Timestamp.ofMs(Date.UTC(2026, 0, 1) + (1000 * number) / 30),
      fps: 30,
      comesFromVideoFile: true,
    },
  });
}

const BLANK = new Uint8ClampedArray(4 * 1280 * 720);

function detectionsOf({ width, height }: Tracks, rows: readonly (readonly number[])[], number: number): DetectionTable {
  const fill = <T>(value: T): readonly T[] => rows.map(() => value);
  const size = [height, width];
  return new DetectionTable({
    xyxy: Float64Array.from(
      rows.flatMap((row) => row.slice(0, 4)),
      Math.fround,
    ),
    confidence: Float64Array.from(rows, (row) => Math.fround(row[4]!)),
    classId: Int32Array.from(rows, (row) => row[5]!),
    data: {
      class_name: rows.map((row) => CLASS_NAMES[row[5]!]!),
      detection_id: rows.map((_, at) => `${number}-${at}`),
      parent_id: fill("image"),
      image_dimensions: fill(size),
      root_parent_id: fill("image"),
      root_parent_coordinates: fill([0, 0]),
      root_parent_dimensions: fill(size),
      parent_coordinates: fill([0, 0]),
      parent_dimensions: fill(size),
      prediction_type: fill("object-detection"),
    },
  });
}

/** In turns, and the best of each: a machine that is slow for a while does not decide. */
async function watchFigures(material: Material, workflow: WorkflowSpec, models: string): Promise<readonly Figure[]> {
  const runs = [await runWatch(material, workflow, models)];
  const peers = [measurePeer(material.peers, "pipeline")];
  runs.push(await runWatch(material, workflow, models));
  peers.push(measurePeer(material.peers, "pipeline"));
  runs.push(await runWatch(material, workflow, models));
  const peer = bestOf(peers);
  const counts = ["in", "out"].map((name) => countIn(runs[0]!.last, name));
  const theirs = [Number(peer?.count_in), Number(peer?.count_out)];
  const agrees = counts.every((count, at) => Math.abs(count - theirs[at]!) <= 1);
  const cpuPeer = peer && { ...peer, ms_per_frame: peer.cpu_ms_per_frame };
  return [
    ratioFigure("watch, wall a frame: ours / peer", Math.min(...runs.map(({ wall }) => wall)), peer, 0.55),
    ratioFigure("watch, CPU a frame: ours / peer", Math.min(...runs.map(({ cpu }) => cpu)), cpuPeer, 0.4),
    agreementFigure("watch: in, out", counts.join(", "), theirs.join(", "), agrees),
  ];
}

/** The least wall time and the least CPU time of several runs. */
function bestOf(peers: readonly (PeerFigure | undefined)[]): PeerFigure | undefined {
  const measured = peers.filter((peer) => peer !== undefined);
  const [first] = measured;
  return (
    first && {
      ...first,
      ms_per_frame: Math.min(...measured.map((peer) => peer.ms_per_frame)),
      cpu_ms_per_frame: Math.min(...measured.map((peer) => peer.cpu_ms_per_frame)),
    }
  );
}

/** Milliseconds a frame, from the first result on. */
async function runWatch({ footage }: Material, workflow: WorkflowSpec, models: string) {
  const engine = createEngine({ localModelFolder: models });
  try {
    let first: { readonly wall: number; readonly cpu: number } | undefined;
    let frames = 0;
    let last: FrameResult | undefined;
    await engine.replay({
      sourceId: "vtest",
      source: footage,
      workflow,
      onResult: (result) => {
        first ??= { wall: performance.now(), cpu: cpuSeconds() };
        frames += 1;
        last = result;
      },
    });
    const wall = (performance.now() - first!.wall) / (frames - 1);
    return { wall, cpu: (1000 * (cpuSeconds() - first!.cpu)) / (frames - 1), last };
  } finally {
    await engine.close();
  }
}

function countIn(result: FrameResult | undefined, name: string): number {
  const output = result?.outputs[name];
  return output?.kind === "value" ? Number(output.value) : Number.NaN;
}

function ratioFigure(name: string, ours: number, peer: PeerFigure | undefined, goal: number): Figure {
  const ratio = ours / (peer?.ms_per_frame ?? Number.NaN);
  const detail = `at most ${goal}; ours ${round(ours, 3)} ms, the peer's ${peer?.ms_per_frame ?? "not measured"} ms`;
  return { name, value: round(ratio, 3), unit: "x", goal: detail, met: ratio <= goal };
}

/** 1 when ours agree with the peer's. */
function agreementFigure(name: string, ours: string, theirs: string, agrees: boolean): Figure {
  return { name, value: agrees ? 1 : 0, unit: "agree", goal: `ours ${ours}, the peer's ${theirs}`, met: agrees };
}
