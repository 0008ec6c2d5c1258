// pictures as they come from a server → those who asked for one, and those who look on
import { sleepUnless } from "@vision-agent/agent-core";
import type { FrameResult } from "@vision-agent/protocol";
import type { LiveFrame, Picture, PictureRequest } from "@vision-agent/vision-engine";
import { FRAME_OUTPUT } from "./server-source.ts";

/** Makes a picture smaller; gives JPEG. */
export type ResizePicture = (
  bytes: Uint8Array,
  options: { readonly maxEdge: number },
) => Promise<{ readonly bytes: Uint8Array }>;

export interface LivePicturesOptions {
  /** Rejects when the signal fires first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly resize: ResizePicture;
  /** Whether more frames are to be expected. */
  readonly isLive: () => boolean;
}

/** Kept for those who ask for a frame by its number. */
const KEPT_PICTURES = 16;
/** A frame that passed so few frames ago is answered by the next picture. */
const RECENT_FRAMES = 16;
const PICTURE_WITHIN_MS = 5000;

/** Pictures travel only while somebody wants them: a viewer the frames, a request one picture. */
export class LivePictures {
  readonly #options: LivePicturesOptions;
  readonly #viewers = new Set<(frame: LiveFrame) => void>();
  readonly #waiting = new Set<{ readonly output: string; readonly give: (picture: Picture | undefined) => void }>();
  #kept: { readonly output: string; readonly picture: Picture }[] = [];
  #recent: number[] = [];
  #newest: FrameResult | undefined;

  constructor(options: LivePicturesOptions) {
    this.#options = options;
  }

  /** Names of the outputs whose pictures are wanted now; empty while nobody looks. */
  wanted(): readonly string[] {
    const asked = [...this.#waiting].map(({ output }) => output);
    return [...new Set(this.#viewers.size > 0 ? [FRAME_OUTPUT, ...asked] : asked)];
  }

  /** The next frame, with the pictures that came with it by output. */
  take(result: FrameResult, pictures: ReadonlyMap<string, Picture>): void {
    this.#newest = result;
    this.#recent = [...this.#recent, result.frame.frame_number].slice(-RECENT_FRAMES);
    if (pictures.size === 0) return;
    const come = [...pictures].map(([output, picture]) => ({ output, picture }));
    this.#kept = [...this.#kept, ...come].slice(-KEPT_PICTURES);
    for (const { output, give } of this.#waiting) {
      const picture = pictures.get(output);
      if (picture) give(picture);
    }
    const frame = pictures.get(FRAME_OUTPUT);
    if (frame) for (const viewer of this.#viewers) viewer({ picture: frame, result });
  }

  async picture(request: PictureRequest = {}): Promise<Picture | undefined> {
    const { output = FRAME_OUTPUT, frameNumber, maxEdge } = request;
    const found = this.#find(output, frameNumber) ?? (await this.#next(output, frameNumber));
    return found === undefined || maxEdge === undefined ? found : this.#reduce(found, maxEdge);
  }

  /** Returns the way to leave, which may be called twice. */
  view(onFrame: (frame: LiveFrame) => void): () => void {
    const viewer = (frame: LiveFrame): void => onFrame(frame);
    this.#viewers.add(viewer);
    return () => void this.#viewers.delete(viewer);
  }

  /** Nothing more will come; whoever waits is told. */
  close(): void {
    this.#viewers.clear();
    for (const { give } of this.#waiting) give(undefined);
  }

  #find(output: string, frameNumber = this.#newest?.frame.frame_number): Picture | undefined {
    return this.#kept.find((one) => one.output === output && one.picture.frame.frame_number === frameNumber)?.picture;
  }

  async #next(output: string, frameNumber: number | undefined): Promise<Picture | undefined> {
    if (frameNumber !== undefined && !this.#recent.includes(frameNumber)) return undefined;
    if (output !== FRAME_OUTPUT && this.#newest && this.#newest.outputs[output]?.kind !== "image") return undefined;
    const come = this.#options.isLive() ? await this.#wait(output) : undefined;
    if (come || frameNumber !== undefined) return come;
    return this.#kept.findLast((one) => one.output === output)?.picture;
  }

  async #wait(output: string): Promise<Picture | undefined> {
    const { promise, resolve: give } = Promise.withResolvers<Picture | undefined>();
    const asking = { output, give };
    const done = new AbortController();
    this.#waiting.add(asking);
    void sleepUnless(this.#options, PICTURE_WITHIN_MS, done.signal).then(() => give(undefined));
    try {
      return await promise;
    } finally {
      done.abort();
      this.#waiting.delete(asking);
    }
  }

  async #reduce(picture: Picture, maxEdge: number): Promise<Picture> {
    const reduction = maxEdge / Math.max(picture.width, picture.height);
    if (reduction >= 1) return picture;
    const { bytes: jpeg } = await this.#options.resize(picture.jpeg, { maxEdge });
    const scaled = (side: number): number => Math.max(1, Math.round(side * reduction));
    return { ...picture, jpeg, width: scaled(picture.width), height: scaled(picture.height) };
  }
}
