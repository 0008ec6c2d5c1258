// tensors ↔ shared memory

import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import type { MessagePort } from "node:worker_threads";
import type { Tensor, TensorData, TensorInfo } from "../runtime/tensor-session.ts";

/** Tensors by name. Their numbers lie in shared memory: a message carries the place, not the numbers. */
export type SharedTensors = Readonly<Record<string, Tensor>>;

/** From a client to an inference thread. */
export type InferenceRequest =
  | { readonly type: "open"; readonly id: number; readonly file: string }
  | {
      readonly type: "run";
      readonly id: number;
      readonly file: string;
      readonly feeds: SharedTensors;
      /** Where the results may be written; a larger place is made when it is too small. */
      readonly results: SharedArrayBuffer;
    }
  | { readonly type: "close"; readonly file: string };

/** From an inference thread to a client. */
export type InferenceReport =
  | {
      readonly type: "opened";
      readonly id: number;
      readonly inputs: readonly TensorInfo[];
      readonly outputs: readonly TensorInfo[];
    }
  | { readonly type: "done"; readonly id: number; readonly outputs: SharedTensors; readonly results: SharedArrayBuffer }
  | { readonly type: "refused"; readonly id: number; readonly message: string };

/** From the owner to an inference thread: somebody new wants to run models, or all is over. */
export type InferenceOrder = { readonly type: "welcome"; readonly port: MessagePort } | { readonly type: "leave" };

/** What an inference thread is started with. */
export interface InferenceThreadData {
  /** Requests that wait or run, one counter for each thread, in shared memory. */
  readonly load: Int32Array;
  readonly index: number;
}

/** How a client reaches the threads; travels to the client's own thread. */
export interface InferenceLink {
  readonly ports: readonly MessagePort[];
  readonly load: Int32Array;
}

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

/** A little below normal: what people wait for goes first, nothing else changes. */
const NICENESS = 5;

/**
 * Lets other threads go first when the machine is full, so that the thread that answers people is never late.
 * Works on Linux, where a thread has a priority of its own; elsewhere nothing changes.
 */
export function yieldToOthers(): void {
  if (process.platform !== "linux") return;
  const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  setPriority(thread, NICENESS);
}
