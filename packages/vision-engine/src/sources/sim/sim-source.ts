// sim:// address → frames with ground truth, in their own time
import { setImmediate as nextTurn } from "node:timers/promises";
import { sourceError } from "../../errors.ts";
import type { Frame } from "../../frames/frame.ts";
import type { FrameSource, SourceClock } from "../frame-source.ts";
import type { CameraPose } from "./drawing/view.ts";
import { createSceneRenderer, type Rendering, type SceneRenderer } from "./scene-renderer.ts";
import { activeWindow, parseSimAddress, type SimAddress } from "./sim-address.ts";

export interface SimSourceOptions {
  readonly sourceId: string;
  readonly clock: SourceClock;
  readonly pace: "live" | "as_fast_as_possible";
  /** Milliseconds since 1970; faults and `start` count from here. */
  readonly firstOpenedAt: number;
}

/** Throws `EngineError` kind `source`; reason `timeout` during a simulated outage. */
export async function openSimSource(address: string, options: SimSourceOptions): Promise<FrameSource> {
  const parsed = parseSimAddress(address);
  const source = new SimSource(parsed, options);
  await source.prepare();
  return source;
}

class SimSource implements FrameSource {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly #address: SimAddress;
  readonly #options: SimSourceOptions;
  readonly #openedAt: number;
  readonly #renderers = new Map<"aimed" | "bumped", Promise<SceneRenderer>>();
  #last: { readonly seenAt: number; readonly rendering: Rendering } | undefined;
  #slot = -1;
  #dropped = 0;
  #closed = false;

  constructor(address: SimAddress, options: SimSourceOptions) {
    this.label = address.label;
    this.width = address.width;
    this.height = address.height;
    this.fps = address.fps;
    this.#address = address;
    this.#options = options;
    this.#openedAt = options.clock.now();
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Draws what stands still, so that the first frame is not late. */
  async prepare(): Promise<void> {
    this.#failDuringOutage(this.#openedAt);
    await this.#renderer(this.#openedAt);
  }

  async next(signal: AbortSignal): Promise<Frame | undefined> {
    signal.throwIfAborted();
    if (this.#closed) return undefined;
    const slotTime = this.#options.pace === "live" ? await this.#nextLiveSlot(signal) : await this.#nextSlot();
    signal.throwIfAborted();
    this.#failDuringOutage(slotTime);
    const { rgba, truth } = await this.#render(this.#seenAt(slotTime));
    const takenAt = this.#options.pace === "live" ? this.#options.clock.now() : slotTime;
    return {
      metadata: {
        source_id: this.#options.sourceId,
        frame_number: this.#slot + 1,
        timestamp: new Date(takenAt).toISOString(),
        width: this.width,
        height: this.height,
        fps: this.fps,
      },
      rgba,
      truth,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#last = undefined;
    this.#renderers.clear();
  }

  /** Frame k belongs to the opening plus k / fps; who is late gets the newest. */
  async #nextLiveSlot(signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    const now = clock.now();
    this.#failDuringOutage(now);
    const wanted = this.#slot + 1;
    const newest = Math.floor(((now - this.#openedAt) * this.fps) / 1000);
    if (newest > wanted) this.#dropped += newest - wanted;
    this.#slot = Math.max(wanted, newest);
    const slotTime = this.#slotTime();
    // Never longer than one frame: a clock that was set back would silence the camera until it has caught up.
    if (slotTime > now) await clock.sleep(Math.min(slotTime - now, 1000 / this.fps), signal);
    return slotTime;
  }

  async #nextSlot(): Promise<number> {
    // The canvas frees its pixels between turns of the event loop only.
    await nextTurn();
    this.#slot += 1;
    return this.#slotTime();
  }

  #slotTime(): number {
    return this.#openedAt + (this.#slot * 1000) / this.fps;
  }

  #failDuringOutage(time: number): void {
    const { faults } = this.#address;
    const elapsed = time - this.#options.firstOpenedAt;
    const outage = activeWindow(faults.outage, faults.everyMs, elapsed);
    if (outage === undefined) return;
    const seconds = Math.ceil((outage.untilMs - elapsed) / 1000);
    throw sourceError("timeout", `The camera does not answer: a simulated outage, over in ${seconds} s.`);
  }

  /** The moment the picture shows: a frozen camera stays where it froze. */
  #seenAt(slotTime: number): number {
    const { faults } = this.#address;
    const { firstOpenedAt } = this.#options;
    const frozen = activeWindow(faults.freeze, faults.everyMs, slotTime - firstOpenedAt);
    return frozen === undefined ? slotTime : firstOpenedAt + frozen.sinceMs;
  }

  async #render(seenAt: number): Promise<Rendering> {
    if (this.#last?.seenAt === seenAt) return this.#last.rendering;
    const { scene, seed, faults, start } = this.#address;
    const elapsed = seenAt - this.#options.firstOpenedAt;
    const seconds = start === undefined ? seenAt / 1000 : start + elapsed / 1000;
    const renderer = await this.#renderer(seenAt);
    const rendering = renderer.render({
      actors: scene.actorsAt(seconds, seed),
      time: start === undefined ? wallTime(seenAt) : sceneTime(seconds),
      dark: activeWindow(faults.dark, faults.everyMs, elapsed) !== undefined,
      covered: activeWindow(faults.cover, faults.everyMs, elapsed) !== undefined,
    });
    this.#last = { seenAt, rendering };
    return rendering;
  }

  #renderer(seenAt: number): Promise<SceneRenderer> {
    const { scene, width, height, seed, faults } = this.#address;
    const aim =
      seenAt - this.#options.firstOpenedAt >= (faults.bumpMs ?? Number.POSITIVE_INFINITY) ? "bumped" : "aimed";
    const known = this.#renderers.get(aim);
    if (known !== undefined) return known;
    const camera = aim === "bumped" ? bumped(scene.camera) : scene.camera;
    const created = createSceneRenderer({ scene, width, height, seed, camera });
    this.#renderers.set(aim, created);
    return created;
  }
}

/** Pushed a little to the right and down, and tilted. */
function bumped(camera: CameraPose): CameraPose {
  return { ...camera, yaw: camera.yaw + 0.12, pitch: camera.pitch - 0.05, roll: camera.roll + 0.07 };
}

function wallTime(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}

/** Scene seconds are seconds of the day, the same on every machine. */
function sceneTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 19);
}
