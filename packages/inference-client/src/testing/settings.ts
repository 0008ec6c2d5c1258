import type { FakeServerOptions } from "./fake-server.ts";
import type { FakeModel } from "./find-things.ts";

/** The options with every default filled in. */
export type FakeSettings = Required<Omit<FakeServerOptions, "apiKey" | "workflows">> &
  Pick<FakeServerOptions, "apiKey" | "workflows">;

const COCO: FakeModel = { task: "object-detection", classes: ["person", "car"] };

export function toSettings(options: FakeServerOptions): FakeSettings {
  return {
    version: "1.8.3",
    models: { "coco/3": COCO },
    aliases: { "yolov8n-640": "coco/3" },
    offline: true,
    streamApi: true,
    webrtc: true,
    foundation: true,
    privateMjpeg: true,
    savedWorkflows: {},
    files: {},
    uploads: { frames: 30, fps: 10 },
    cameras: {},
    maxPipelines: 8,
    timeScale: 0.1,
    inferenceMs: 100,
    workerStartMs: 500,
    managerTimeoutMs: 20_000,
    pictureBytes: 0,
    port: 0,
    ...options,
  };
}

/** What 1.5.0 did otherwise. */
export function isBefore18(settings: Pick<FakeSettings, "version">): boolean {
  return settings.version === "1.5.0";
}
