// picture → SSDLite and NanoDet side by side → detections both stand behind
import { DetectionTable } from "../../frames/detections.ts";
import { type Frame, type PixelPicture, type PixelSize, pictureOf } from "../../frames/frame.ts";
import { isBox } from "../../geometry/boxes.ts";
import { COCO_CLASSES } from "../coco-classes.data.ts";
import { type DetectionModel, type DetectOptions, type EmbeddingModel, WEAK_CONFIDENCE } from "../model.ts";
import type { TensorSession } from "../runtime/tensor-session.ts";
import {
  type EmbeddedCandidates,
  fuseCandidates,
  type LonelyWorth,
  mostConfident,
  selectCandidates,
  suppressOverlaps,
} from "./candidates.ts";
import { createNanodet, createSsdlite } from "./networks.ts";

/** Finds the 80 classes of COCO, and tells how alike two pictures look. */
export interface DefaultDetector extends DetectionModel, EmbeddingModel {}

export interface DefaultDetectorOptions {
  readonly id: string;
  readonly ssdlite: TensorSession;
  /** Absent: lite, half the work and worse on small things. */
  readonly nanodet?: TensorSession;
  /** Said with every result. */
  readonly note?: string;
}

/**
 * Workflows ask for a confidence of 0.4 when nobody said otherwise. Scores are bent so that this is where the detector
 * is at its best on people: raw scores of 0.475 together, of 0.3 for SSDLite alone.
 */
const BEND = { together: Math.log(0.4) / Math.log(0.475), lite: Math.log(0.4) / Math.log(0.3) };
const DEFAULT_CONFIDENCE = 0.4;
/** Raw scores below are noise in either detector. */
const FLOOR = 0.1;
const PERSON = 0;
/** SSDLite alone is often wrong, also when it is sure; NanoDet alone is right about people when it is sure. */
const LONELY: LonelyWorth = { first: () => 0.6, second: (classId) => (classId === PERSON ? 1 : 0.75) };
const DEFAULT_OVERLAP = 0.45;
const MOST_DETECTIONS = 300;
const MOST_CANDIDATES = 3000;

export function createDefaultDetector(options: DefaultDetectorOptions): DefaultDetector {
  const { id, note } = options;
  const ssdlite = createSsdlite(options.ssdlite);
  const nanodet = options.nanodet === undefined ? undefined : createNanodet(options.nanodet);
  const bend = nanodet === undefined ? BEND.lite : BEND.together;
  const names = nanodet === undefined ? "SSDLite-MobileNetV2" : "SSDLite-MobileNetV2 and NanoDet-m together";

  async function candidatesOf(source: PixelPicture, threshold: number): Promise<EmbeddedCandidates> {
    if (nanodet === undefined) return ssdlite.look(source, threshold);
    const [first, second] = await Promise.all([ssdlite.look(source, threshold), nanodet.look(source, threshold)]);
    return fuseCandidates(first, second, LONELY);
  }

  return {
    id,
    description: `The embedded detector: ${names}, the 80 classes of COCO, small and meant for a laptop's processor.`,
    note,
    classNames: COCO_CLASSES,
    async detect(frame, request) {
      const { confidence = DEFAULT_CONFIDENCE } = request;
      const raw = await candidatesOf(pictureOf(frame), Math.min(FLOOR, confidence ** (1 / bend)));
      const bent = { ...raw, confidence: raw.confidence.map((score) => score ** bend) };
      return toDetections(frame, bent, { ...request, confidence });
    },
    async embedImage(frame) {
      return ssdlite.embed(pictureOf(frame));
    },
    async close() {
      await Promise.all([options.ssdlite.close(), options.nanodet?.close()]);
    },
  };
}

function toDetections(
  { metadata: { width, height } }: Frame,
  candidates: EmbeddedCandidates,
  options: DetectOptions,
): DetectionTable {
  const { confidence = DEFAULT_CONFIDENCE, iouThreshold = DEFAULT_OVERLAP, classAgnostic = false } = options;
  const { maxDetections = MOST_DETECTIONS, maxCandidates = MOST_CANDIDATES } = options;
  const { onWeak } = options;
  const least = onWeak ? Math.min(confidence, WEAK_CONFIDENCE) : confidence;
  const looked = mostConfident(insidePicture(candidates, width, height), maxCandidates, least);
  // The most confident push out the others, never the other way round: those above stay the same.
  const kept = suppressOverlaps(looked, iouThreshold, classAgnostic);
  const toTable = (rows: EmbeddedCandidates): DetectionTable => tableOf(rows, { width, height });
  onWeak?.(
    toTable(
      selectCandidates(
        kept,
        rowsOf(kept, (score) => score < confidence),
      ),
    ),
  );
  return toTable(mostConfident(kept, maxDetections, confidence));
}

function rowsOf({ confidence }: EmbeddedCandidates, isOne: (score: number) => boolean): readonly number[] {
  return [...confidence.keys()].filter((row) => isOne(confidence[row]!));
}

function tableOf(found: EmbeddedCandidates, { width, height }: PixelSize): DetectionTable {
  return new DetectionTable({
    xyxy: Float64Array.from(found.xyxy),
    confidence: Float64Array.from(found.confidence),
    classId: Int32Array.from(found.classId),
    data: { class_name: found.classId.map((classId) => COCO_CLASSES[classId]!) },
    metadata: { image_dimensions: [height, width] },
  });
}

/** Boxes end at the edges of the picture; those outside are gone. */
function insidePicture(candidates: EmbeddedCandidates, width: number, height: number): EmbeddedCandidates {
  const xyxy = candidates.xyxy.map((edge, at) => Math.min(at % 2 === 0 ? width : height, Math.max(0, edge)));
  const rows = [...candidates.confidence.keys()].filter((row) => isBox(xyxy, row));
  return selectCandidates({ ...candidates, xyxy }, rows);
}
