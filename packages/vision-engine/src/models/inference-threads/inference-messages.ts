import type { MessagePort } from "node:worker_threads";
import type { Tensor, TensorInfo } from "../runtime/tensor-session.ts";

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
  /** Threads inside one run. */
  readonly threads: number;
  /** Requests that wait or run, one counter for each thread, in shared memory. */
  readonly load: Int32Array;
  readonly index: number;
}

/** How a client reaches the threads; travels to the client's own thread. */
export interface InferenceLink {
  readonly ports: readonly MessagePort[];
  readonly load: Int32Array;
}
