// the peer's own benchmark → its figures
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { findPeers } from "./machine.ts";

export interface PeerFigure {
  readonly ms_per_frame: number;
  readonly cpu_ms_per_frame: number;
  readonly [result: string]: unknown;
}

/** One figure of the peers, measured now; absent when they are not installed or fail. */
export function measurePeer(folder: string, task: "bytetrack" | "engine" | "pipeline"): PeerFigure | undefined {
  const peers = findPeers();
  if (peers === undefined) return undefined;
  const { stdout, status } = spawnSync(peers.python, [resolve(join(folder, "roboflow_bench.py")), task], {
    cwd: peers.folder,
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  const line = stdout?.split("\n").findLast((text) => text.startsWith("{"));
  return status === 0 && line !== undefined ? (JSON.parse(line) as PeerFigure) : undefined;
}
