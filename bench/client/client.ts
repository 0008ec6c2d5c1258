// what speaking to an Inference server costs, part by part
import type { Benchmark, Figure } from "../figure.ts";
import { measureOverhead } from "./overhead.ts";
import { webRtcThroughputFigures } from "./webrtc-throughput.ts";

interface Part {
  readonly name: string;
  measure(signal: AbortSignal): Promise<readonly Figure[]>;
}

const PARTS: readonly Part[] = [
  { name: "one inference beside a bare fetch", measure: measureOverhead },
  { name: "data over WebRTC on loopback", measure: webRtcThroughputFigures },
];

export const client: Benchmark = {
  about: "what the client of Inference servers costs beside a bare fetch, and what WebRTC data channels carry",
  async run({ signal, say }) {
    const figures: Figure[] = [];
    for (const { name, measure } of PARTS) {
      signal.throwIfAborted();
      say(`${name} …`);
      figures.push(...(await measure(signal)));
    }
    return figures;
  },
};
