// tensors ↔ shared memory
import type { Tensor, TensorData } from "../runtime/tensor-session.ts";
import type { SharedTensors } from "./inference-messages.ts";

/** Where each tensor begins in shared memory: numbers of 8 bytes must lie on multiples of 8. */
const ALIGNMENT = 8;

type AnyData = TensorData[keyof TensorData];

export interface WrittenTensors {
  readonly tensors: SharedTensors;
  readonly memory: SharedArrayBuffer;
}

/** Copies tensors into `memory`, or into a new place of the right size when it is too small. */
export function writeTensors(tensors: SharedTensors, memory: SharedArrayBuffer): WrittenTensors {
  const entries = Object.entries(tensors);
  const bytes = entries.reduce((sum, [, { data }]) => sum + aligned(data.byteLength), 0);
  const place = bytes <= memory.byteLength ? memory : new SharedArrayBuffer(bytes);
  const shared: Record<string, Tensor> = {};
  let at = 0;
  for (const [name, tensor] of entries) {
    shared[name] = { ...tensor, data: copyTo(place, at, tensor.data) } as Tensor;
    at += aligned(tensor.data.byteLength);
  }
  return { tensors: shared, memory: place };
}

/** One tensor of several of the same shape, along the first dimension. */
export function stackTensors(parts: readonly Tensor[]): Tensor {
  const [first] = parts as [Tensor, ...Tensor[]];
  const rows = parts.reduce((sum, { dims }) => sum + dims[0]!, 0);
  const all = sameKind(first.data, first.data.length * parts.length);
  for (const [at, { data }] of parts.entries()) all.set(data as never, at * first.data.length);
  return { ...first, dims: [rows, ...first.dims.slice(1)], data: all } as Tensor;
}

/** The part of one of `count` equal shares along the first dimension, without copying. */
export function shareOf(tensor: Tensor, at: number, count: number): Tensor {
  const size = tensor.data.length / count;
  const dims = [tensor.dims[0]! / count, ...tensor.dims.slice(1)];
  return { ...tensor, dims, data: tensor.data.subarray(at * size, (at + 1) * size) } as Tensor;
}

function copyTo(memory: SharedArrayBuffer, at: number, data: AnyData): AnyData {
  const Kind = data.constructor as new (memory: SharedArrayBuffer, at: number, length: number) => AnyData;
  const copy = new Kind(memory, at, data.length);
  copy.set(data as never);
  return copy;
}

function sameKind(data: AnyData, length: number): AnyData {
  return new (data.constructor as new (length: number) => AnyData)(length);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
