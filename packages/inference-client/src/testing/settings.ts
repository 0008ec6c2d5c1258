import type { FakeModel, FakeServerOptions } from "./fake-server.ts";

/** The options with every default filled in. */
export type Settings = Required<Omit<FakeServerOptions, "apiKey">> & { readonly apiKey: string | undefined };

const COCO: FakeModel = { task: "object-detection", classes: ["person", "car"] };

export function toSettings(options: FakeServerOptions): Settings {
  return {
    version: "1.8.3",
    models: { "coco/3": COCO },
    aliases: { "yolov8n-640": "coco/3" },
    offline: true,
    streamApi: true,
    webrtc: true,
    foundation: true,
    customPython: false,
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
    apiKey: options.apiKey,
  };
}

/** What 1.5.0 did otherwise. */
export function isBefore18(settings: Pick<Settings, "version">): boolean {
  return settings.version === "1.5.0";
}
