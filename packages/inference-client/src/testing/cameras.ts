// urls and paths of requests → the simulated files and cameras behind them
import type { FakeCameraControl, FakeFile } from "./fake-server.ts";
import type { FakeSettings } from "./settings.ts";

/** A video as a reader sees it once it is open. */
export interface OpenVideo {
  readonly reference: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly isFile: boolean;
  /** Frames until it ends by itself. */
  readonly frames: number;
  /** Calls back when the camera is unplugged; the returned function stops listening. */
  onCut(listener: () => void): () => void;
}

interface Camera extends FakeCameraControl {
  readonly readers: Set<() => void>;
}

export class Cameras {
  readonly #settings: FakeSettings;
  readonly #cameras = new Map<string, Camera>();

  constructor(settings: FakeSettings) {
    this.#settings = settings;
    for (const [url, camera] of Object.entries(settings.cameras)) {
      this.#cameras.set(url, createCamera(url, camera.alive ?? true));
    }
  }

  control(url: string): FakeCameraControl {
    const camera = this.#cameras.get(url);
    if (camera === undefined) throw new Error(`The options of the fake server name no camera ${url}.`);
    return camera;
  }

  /** `undefined` when nothing can be read there. User and password in a URL are not compared. */
  open(reference: string | number): OpenVideo | undefined {
    const name = String(reference).replace(/^file:\/\//, "");
    const file = this.#settings.files[name];
    if (file !== undefined) return openFile(name, file);
    if (name === "TestPatternStreamProducer") return openTestPattern();
    const url = withoutCredentials(name);
    const camera = this.#cameras.get(url) ?? this.#cameras.get(name);
    if (!camera?.alive) return undefined;
    const {
      fps = 10,
      width = 640,
      height = 480,
      frames = Number.POSITIVE_INFINITY,
    } = this.#settings.cameras[camera.url]!;
    const onCut = (listener: () => void) => {
      camera.readers.add(listener);
      return () => camera.readers.delete(listener);
    };
    return { reference: url, fps, width, height, frames, isFile: false, onCut };
  }
}

export function openFile(reference: string, file: FakeFile): OpenVideo {
  const { frames, fps, width = 640, height = 480 } = file;
  return { reference, frames, fps, width, height, isFile: true, onCut: neverCut };
}

export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/@]*@/i, "$1");
}

function openTestPattern(): OpenVideo {
  const reference = "TestPatternStreamProducer";
  const frames = Number.POSITIVE_INFINITY;
  return { reference, width: 1920, height: 1080, fps: 10, isFile: false, frames, onCut: neverCut };
}

function createCamera(url: string, alive: boolean): Camera {
  const readers = new Set<() => void>();
  const state = { alive };
  return {
    url,
    readers,
    get alive() {
      return state.alive;
    },
    unplug() {
      state.alive = false;
      for (const cut of [...readers]) cut();
      readers.clear();
    },
    plugIn() {
      state.alive = true;
    },
  };
}

function neverCut(): () => void {
  return () => undefined;
}
