// what a block declares about depths × what it is fed → refused when they do not agree
import { Refusal } from "../findings.ts";

/** Property name → how many levels deeper than the others it is. */
export type Offsets = Readonly<Record<string, number>>;

/** Throws `Refusal` for a block whose inputs differ by more than one level. */
export function checkInputOffsets(step: string, offsets: Offsets): void {
  const values = Object.values(offsets);
  if (values.length === 0) return;
  if (Math.min(...values) < 0) {
    throw new Refusal("inputOffsets", "The block declares inputs of negative depth.", { step });
  }
  if (Math.max(...values) - Math.min(...values) > 1) {
    throw new Refusal("inputOffsets", "The block declares inputs that differ by more than one level.", { step });
  }
}

export interface OutputOffset {
  readonly step: string;
  /** Properties that are fed batches. */
  readonly batchProperties: ReadonlySet<string>;
  readonly inputOffsets: Offsets;
  /** The property whose depth the outputs have. */
  readonly reference: string | undefined;
  readonly outputOffset: number;
}

/** Throws `Refusal` for a block whose output cannot have the depth that it declares. */
export function checkOutputOffset({
  step,
  batchProperties,
  inputOffsets,
  reference,
  outputOffset,
}: OutputOffset): void {
  const refuse = (message: string): never => {
    throw new Refusal("outputOffset", message, { step });
  };
  if (batchProperties.size === 0 && outputOffset < 0) {
    throw new Refusal("collapseOfScalars", "There is no level to collapse: all inputs are single values.", { step });
  }
  if (reference !== undefined && !batchProperties.has(reference)) {
    refuse(`The depth of the outputs is that of "${reference}", which is fed no batch.`);
  }
  if (![-1, 0, 1].includes(outputOffset)) {
    refuse(`The block declares outputs ${outputOffset} levels deeper; only -1, 0 and 1 are possible.`);
  }
  const offsets = new Set(Object.values(inputOffsets));
  // What a block does not mention is at the common level.
  if (batchProperties.size !== Object.keys(inputOffsets).length) offsets.add(0);
  if (batchProperties.size > 0 && !offsets.has(0)) refuse("The block declares no input at the common level.");
  if (offsets.size > 1 && reference === undefined) {
    refuse("The block declares inputs of different depth, but not which of them the outputs follow.");
  }
  if (offsets.size > 1 && outputOffset !== 0) {
    refuse("A block with inputs of different depth cannot change the depth of its outputs.");
  }
}
