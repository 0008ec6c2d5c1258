/** A value as it stands in a file of vectors: JSON with `$tags` for what JSON cannot hold. */
export type Recorded = null | boolean | number | string | readonly Recorded[] | { readonly [name: string]: Recorded };

export type RecordedObject = { readonly [name: string]: Recorded };

/** One recorded call of the peer. */
export interface VectorRecord {
  readonly source: string;
  /** A block type, or `module.function`. */
  readonly target: string;
  readonly input: RecordedObject;
  readonly expected: Recorded;
  /** Why a replayer of the peer could not drive it from its data alone. */
  readonly not_drivable?: string;
}

/** Replays one record on the engine and gives back what came out, to be compared with `expected`. */
export type Driver = (input: RecordedObject, record: VectorRecord) => unknown;

export type Drivers = Readonly<Record<string, Driver>>;

export function isObject(value: unknown): value is RecordedObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
