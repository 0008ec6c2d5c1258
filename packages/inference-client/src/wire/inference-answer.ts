import type { Json } from "@vision-agent/protocol";

/** What a model does. */
export type InferenceTask =
  | "object-detection"
  | "instance-segmentation"
  | "semantic-segmentation"
  | "classification"
  | "keypoint-detection";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export interface PixelPoint {
  readonly x: number;
  readonly y: number;
}

/** A box by its centre, in pixels of the picture that was handed in. */
export interface DetectedObject extends PixelPoint, ImageSize {
  readonly confidence: number;
  readonly className: string;
  readonly classId: number;
  readonly detectionId?: string;
  readonly trackerId?: number;
  readonly parentId?: string;
}

export interface DetectedInstance extends DetectedObject {
  /** The outline, when the server was asked for polygons. */
  readonly points?: readonly PixelPoint[];
  /** COCO run lengths, when it was asked for those; `size` is height, width. */
  readonly rle?: { readonly size: readonly [number, number]; readonly counts: string };
}

export interface Keypoint extends PixelPoint {
  readonly confidence: number;
  readonly className: string;
  readonly classId: number;
}

export interface DetectedPose extends DetectedObject {
  readonly keypoints: readonly Keypoint[];
}

export interface ClassScore {
  readonly className: string;
  readonly classId: number;
  readonly confidence: number;
}

/** Which package of a model answered (servers since 1.8). */
export interface LoadedModel {
  readonly modelId?: string;
  readonly packageId?: string;
  readonly backend?: string;
  readonly quantization?: string;
}

interface AnswerFacts {
  readonly inferenceId?: string;
  /** Seconds that the server spent. */
  readonly timeS?: number;
  /** Size of the picture that was handed in; undefined when neither side knows it. */
  readonly image: ImageSize | undefined;
  readonly resolvedModel?: LoadedModel;
  /** The drawn picture (JPEG), when it was asked for. */
  readonly visualization?: Uint8Array;
}

/** One picture's answer, by what the model turned out to do. */
export type InferenceAnswer = AnswerFacts &
  (
    | { readonly kind: "object_detection"; readonly predictions: readonly DetectedObject[] }
    | { readonly kind: "instance_segmentation"; readonly predictions: readonly DetectedInstance[] }
    | { readonly kind: "keypoints"; readonly predictions: readonly DetectedPose[] }
    | {
        readonly kind: "classification";
        readonly predictions: readonly ClassScore[];
        /** Undefined when no class reaches the threshold. */
        readonly top: string | undefined;
        readonly confidence: number;
      }
    | {
        readonly kind: "multi_label_classification";
        readonly predictions: readonly ClassScore[];
        readonly predictedClasses: readonly string[];
      }
    | {
        readonly kind: "anomaly";
        readonly score: number;
        readonly threshold: number | undefined;
        readonly isAnomalous: boolean | undefined;
        readonly predictions: readonly ClassScore[];
        /** A picture (PNG or JPEG), when it was asked for. */
        readonly map?: Uint8Array;
      }
    | {
        readonly kind: "semantic_segmentation";
        /** PNG whose pixels are class ids. */
        readonly mask: Uint8Array;
        readonly confidenceMask?: Uint8Array;
        readonly classNames: ReadonlyMap<number, string>;
        readonly presentClassIds: readonly number[];
      }
    | { readonly kind: "text"; readonly response: Json }
    | { readonly kind: "stub"; readonly modelId: string | undefined; readonly task: string | undefined }
  );
