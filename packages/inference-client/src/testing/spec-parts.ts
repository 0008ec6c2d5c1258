import type { Json } from "@vision-agent/protocol";
import type { JsonObject } from "./check-body.ts";
import type { KnownBlock } from "./known-blocks.data.ts";

export interface SpecStep {
  readonly name: string;
  readonly type: string;
  readonly block: KnownBlock;
  readonly json: JsonObject;
}

export interface SpecInput {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly defaultValue: Json | undefined;
}

export interface SpecOutput {
  readonly name: string;
  readonly selector: string;
  /** Boxes found in a crop are told in the crop's pixels, not in those of the picture it was cut from. */
  readonly inOwnPixels: boolean;
}

export interface CheckedSpec {
  readonly inputs: readonly SpecInput[];
  /** In the order they run. */
  readonly steps: readonly SpecStep[];
  readonly outputs: readonly SpecOutput[];
}
