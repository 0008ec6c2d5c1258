// what a person wants forgotten → what belongs to it → every store, in turn → a receipt
import type { ArtifactStore } from "@vision-agent/agent-core";
import type { ForgetReceipt, ForgetRequest, SceneEvent } from "@vision-agent/protocol";
import type { CameraNames } from "../workspace/camera-names.ts";
import { KindedError } from "../workspace/kinded-error.ts";
import { findPictures } from "./forget-pictures.ts";
import { type ForgetfulStore, type ForgetTarget, isCovered } from "./forget-target.ts";
import type { ForgetfulName } from "./workspace-stores.data.ts";

/** `not_found` there is no such event · `unfit` nothing was named, or the time ends before it begins. */
export class ForgetError extends KindedError<"not_found" | "unfit"> {}

export interface Forget {
  /** Counts, or removes. Rejects with `ForgetError`, or what a store says; asking again goes on where it stopped. */
  forget(request: ForgetRequest): Promise<ForgetReceipt>;
}

export interface ForgetOptions {
  /** In the order in which they are asked: what others are found by goes last. */
  readonly stores: Readonly<Record<ForgetfulName, ForgetfulStore>>;
  readonly findEvents: (goes: (event: SceneEvent) => boolean) => Promise<readonly SceneEvent[]>;
  readonly artifacts: Pick<ArtifactStore, "list">;
  /** What a camera of that time is called now; those of events and pictures are. Default: no camera was ever renamed. */
  readonly nameOf?: CameraNames["nameOf"];
  /** Names of cameras there are. */
  readonly cameras: () => readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Where copies may be that no store knows of, in a sentence each. */
  readonly notCovered: () => Promise<readonly string[]>;
}

export function createForget(options: ForgetOptions): Forget {
  const { stores, now } = options;
  return {
    async forget({ preview, ...request }) {
      const span = await findSpan(request, options);
      const target = await findTarget(span, options);
      const removed: ForgetReceipt["removed"] = [];
      for (const [what, store] of Object.entries(stores)) {
        const { count, examples } = await store.forget(target, { preview });
        // A receipt must not keep what it tells of.
        removed.push({ what, count, examples: preview ? [...examples] : [] });
      }
      const at = new Date(now()).toISOString();
      return { preview, at, scope: span.words, removed, not_covered: [...(await options.notCovered())] };
    },
  };
}

/** e.g. `1 event`, `3 pictures`. */
export function describeCount({ what, count }: { readonly what: string; readonly count: number }): string {
  return `${count} ${count === 1 ? what.replace(/s$/, "") : what}`;
}

interface ForgetSpan extends Pick<ForgetTarget, "camera" | "fromMs" | "toMs"> {
  /** Events that go whatever their time. */
  readonly named: readonly SceneEvent[];
  readonly words: string;
}

async function findSpan(request: Omit<ForgetRequest, "preview">, options: ForgetOptions): Promise<ForgetSpan> {
  const { camera, from, to, event, visit } = request;
  const id = event ?? visit;
  if (id === undefined) {
    if (camera === undefined && from === undefined && to === undefined)
      throw new ForgetError("unfit", "Say what to forget: a camera, a time, an event or a visit.");
    const fromMs = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
    const toMs = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to);
    if (fromMs >= toMs) throw new ForgetError("unfit", "The time ends before it begins: give from before to.");
    await mustBeKnown(camera, options);
    return { camera, fromMs, toMs, named: [], words: describe({ camera, from, to }) };
  }
  if (camera !== undefined || from !== undefined || to !== undefined || (event !== undefined && visit !== undefined))
    throw new ForgetError("unfit", "Give an event or a visit alone, or a camera with a time.");
  const [found] = await options.findEvents((one) => one.id === id || (visit !== undefined && one.visit_id === id));
  if (found === undefined)
    throw new ForgetError("not_found", `There is no ${event === undefined ? "visit" : "event"} ${id}.`);
  if (event !== undefined) {
    const at = Date.parse(found.timestamp);
    return { camera: found.camera, fromMs: at, toMs: at, named: [found], words: `event ${id} of ${found.camera}` };
  }
  return spanOfVisit(found, options);
}

/** A misspelt name must not read like success; what is kept of a camera that is gone can be forgotten. */
async function mustBeKnown(camera: string | undefined, { cameras, findEvents }: ForgetOptions): Promise<void> {
  const isIt = (name: string): boolean => name.toLowerCase() === camera?.toLowerCase();
  if (camera === undefined || cameras().some(isIt) || (await findEvents((one) => isIt(one.camera))).length > 0) return;
  const names = cameras().join(", ") || "none";
  throw new ForgetError("not_found", `There is no camera ${camera}, and no event of one. Cameras: ${names}.`);
}

/** From when it appeared until it left, as far as that is known. */
async function spanOfVisit(event: SceneEvent, { findEvents, now }: ForgetOptions): Promise<ForgetSpan> {
  const { camera, tracker_id, pipeline_id, timestamp, visit_id } = event;
  const isSame = (one: SceneEvent): boolean =>
    visit_id === undefined
      ? one.camera === camera && one.tracker_id === tracker_id && one.pipeline_id === pipeline_id
      : one.visit_id === visit_id;
  const all = tracker_id === undefined ? [event] : await findEvents(isSame);
  const begin = all.findLast((one) => one.kind === "appeared" && one.timestamp <= timestamp)?.timestamp ?? timestamp;
  const end =
    tracker_id === undefined
      ? timestamp
      : (all.find((one) => one.kind === "left" && one.timestamp >= timestamp)?.timestamp ??
        new Date(now()).toISOString());
  const words = describe({ camera, from: begin, to: end });
  return { camera, fromMs: Date.parse(begin), toMs: Date.parse(end) + 1, named: [event], words };
}

async function findTarget(span: ForgetSpan, { findEvents, artifacts, nameOf }: ForgetOptions): Promise<ForgetTarget> {
  const { camera, fromMs, toMs, named } = span;
  const ids = new Set(named.map(({ id }) => id));
  const going = await findEvents((one) => ids.has(one.id) || isCovered(span, one.camera, Date.parse(one.timestamp)));
  const taken = await findPictures(artifacts, span);
  return {
    ...(camera !== undefined && { camera }),
    fromMs,
    toMs,
    ...(nameOf && { nameOf }),
    events: new Set(going.map(({ id }) => id)),
    pictures: new Set([...going.flatMap(({ picture }) => picture ?? []), ...taken.map(({ id }) => id)]),
  };
}

function describe({ camera, from, to }: Pick<ForgetRequest, "camera" | "from" | "to">): string {
  const when = [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(" ");
  return `${camera ?? "all cameras"}${when === "" ? "" : ` ${when}`}`;
}
