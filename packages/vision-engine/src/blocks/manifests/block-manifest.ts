import type { Json } from "@vision-agent/protocol";

/** One property of a block. */
export interface PropertyManifest {
  readonly name: string;
  /** What it accepts, in the notation of `parsePropertyType`: `float{>=0.0,<=1.0} | sel<float_zero_to_one>`. */
  readonly type: string;
  readonly required?: true;
  /** Used when the step leaves the property out. */
  readonly default?: Json;
  /** Other names under which a step may write it. */
  readonly aliases?: readonly string[];
}

/** One value that a block gives out. */
export interface OutputManifest {
  readonly name: string;
  /** Kinds of value it may be; `*` is any. */
  readonly kinds: readonly string[];
}

/** What a workflow author must know of a block type. */
export interface BlockManifest {
  readonly type: string;
  readonly aliases?: readonly string[];
  /** Title for people. */
  readonly name: string;
  readonly family: string;
  readonly properties: readonly PropertyManifest[];
  readonly outputs: readonly OutputManifest[];
  /** Further outputs depend on the properties of the step. */
  readonly dynamicOutputs?: true;
  /** How deep outputs are nested compared with inputs: 1 makes many of one, -1 one of many. Absent: 0. */
  readonly outputDimensionalityOffset?: number;
  readonly inputDimensionalityOffsets?: { readonly [property: string]: number };
  readonly dimensionalityReferenceProperty?: string;
  /** Properties taken as a whole batch. */
  readonly batchProperties?: readonly string[];
  readonly batchOrScalarProperties?: readonly string[];
  readonly autoBatchCastProperties?: readonly string[];
  /** Runs even where an input has no value. */
  readonly acceptsEmpty?: true;
}
