// frames → results: what they cost, beside bare ONNX, ffmpeg and the Python peers
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeFigure, frameFigures, gateFigure, makeClip } from "./engine/frame-figures.ts";
import { delayFigure, memoryFigures } from "./engine/load-figures.ts";
import { findMaterial } from "./engine/machine.ts";
import { peerFigures } from "./engine/peer-figures.ts";
import { makeModelFolder } from "./engine/yolox-model.ts";
import type { Benchmark, Figure } from "./figure.ts";

/** The embedded detector, as the product runs it. */
const DEFAULT_MODEL = "vision-agent/default";

export const engine: Benchmark = {
  about: "the vision engine: a frame beside bare ONNX and ffmpeg, the motion gate, load, memory, the Python peers",
  async run({ say }) {
    const material = findMaterial();
    if (typeof material === "string") {
      say(material);
      return [];
    }
    const folder = await mkdtemp(join(tmpdir(), "bench-engine-"));
    try {
      const clip = makeClip(material, folder);
      const models = await makeModelFolder(material, folder);
      const figures: Figure[] = [];
      // First, while nothing else has taken memory.
      say("memory …");
      figures.push(...(await memoryFigures(models)));
      say("decode …");
      figures.push(await decodeFigure(clip));
      say("detection …");
      figures.push(...(await frameFigures(material, models, clip)));
      say("motion gate …");
      figures.push(await gateFigure(material, folder, DEFAULT_MODEL));
      say("four busy pipelines …");
      figures.push(await delayFigure(models, clip));
      figures.push(...(await peerFigures(material, say)));
      return figures;
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
