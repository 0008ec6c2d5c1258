// what one condition makes of one view of a camera
import type { CameraPlace, WatchedThings } from "@vision-agent/protocol";
import { colourOf, type FollowedView, type SceneTrack } from "../scene/followed-view.ts";
import { areaOf, isWanted, type SceneArea, USUAL_CONFIDENCE, WHOLE_PICTURE } from "../scene/scene-interest.ts";

/** What is remembered of a condition between views; bounded. */
export interface ConditionMemory {
  /** A state has been true since then; of `absent`: when somebody was seen last. */
  readonly sinceMs?: number;
  /** It has been true for as long as was asked. */
  readonly holds?: boolean;
  /** When it was told last, while it holds. */
  readonly toldMs?: number;
  /** Of the conditions inside it. */
  readonly parts?: readonly (ConditionMemory | undefined)[];
  /** Sequences that have begun: the steps done, and when the last of them was. */
  readonly begun?: readonly { readonly steps: number; readonly atMs: number }[];
  /** By visit: when a stay was told last. */
  readonly stays?: ReadonlyMap<string, number>;
}

/** One sentence for people, and who it was where somebody can be named. */
export interface Happening {
  readonly text: string;
  readonly track?: SceneTrack;
}

export interface ConditionReading {
  readonly memory?: ConditionMemory;
  /** What happens in this view. */
  readonly moments: readonly Happening[];
  /** What was told before and is over now. */
  readonly over?: readonly Happening[];
  /** For states: whether it holds, and both in words without a camera and without a full stop. */
  readonly state?: {
    readonly holds: boolean;
    /** False before there was anything to judge by. Default true. */
    readonly isKnown?: boolean;
    readonly yes: string;
    readonly no: string;
    readonly track?: SceneTrack | undefined;
  };
}

/** A named zone or line of a camera; undefined when there is none of that kind. */
export type PlaceFinder = <K extends CameraPlace["kind"]>(
  camera: string,
  kind: K,
  name: string,
) => Extract<CameraPlace, { kind: K }> | undefined;

export interface JudgedView {
  readonly view: FollowedView;
  /** The camera that the condition is about. */
  readonly camera: string;
  /** What the watch itself looks for. */
  readonly things: WatchedThings;
  readonly placeOf: PlaceFinder;
  /** A stay is told again after so long. */
  readonly againSeconds?: number | undefined;
}

type WrittenPlace = string | readonly (readonly [number, number])[];

/** A place as it is written → the area that is followed. Undefined for a name that the camera does not have. */
export function areaFor(
  kind: CameraPlace["kind"],
  place: WrittenPlace | undefined,
  { camera, placeOf }: Pick<JudgedView, "camera" | "placeOf">,
): SceneArea | undefined {
  if (place === undefined) return WHOLE_PICTURE;
  if (typeof place !== "string") return areaOf(kind, place);
  const named = placeOf(camera, kind, place);
  return (
    named && {
      ...areaOf(kind, named.points),
      name: named.name,
      ...("directions" in named && { names: named.directions }),
    }
  );
}

/** By class, confidence, size and colour. */
export function isAsked(track: SceneTrack, things: WatchedThings, { result: { frame } }: FollowedView): boolean {
  const { classes, min_confidence = USUAL_CONFIDENCE, min_size = 0, max_size = 1, colour } = things;
  const [left, top, right, bottom] = track.box;
  const size = ((right - left) * (bottom - top)) / (frame.width * frame.height);
  return (
    isWanted(classes, track.className) &&
    track.confidence >= min_confidence &&
    size >= min_size &&
    size <= max_size &&
    (colour === undefined || colourOf(track) === colour)
  );
}
