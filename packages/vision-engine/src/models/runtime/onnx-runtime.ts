// ONNX file → session in this thread

import "../../config/without-telemetry.ts";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { modelError } from "../../errors.ts";
import {
  type InferenceRuntime,
  isTensorType,
  type Tensor,
  type TensorInfo,
  type TensorSession,
} from "./tensor-session.ts";

type Ort = typeof import("onnxruntime-node");

export interface OnnxRuntimeOptions {
  /** Threads inside one run. More finish sooner on idle cores and later on busy ones. */
  readonly threads: number;
}

/**
 * ONNX Runtime on the CPU. A run blocks the thread that it was called from for its whole length:
 * keep it off threads that must answer.
 */
export function createOnnxRuntime({ threads }: OnnxRuntimeOptions): InferenceRuntime {
  const sessions = new Set<TensorSession>();
  return {
    async open(file) {
      const ort = await loadOrt();
      const native = await openNative(ort, file, threads);
      const session = createSession(ort, native, basename(file), () => sessions.delete(session));
      sessions.add(session);
      return session;
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()));
    },
  };
}

async function loadOrt(): Promise<Ort> {
  try {
    return await import("onnxruntime-node");
  } catch (cause) {
    throw modelError(
      "ONNX Runtime does not load on this machine: no model can run here. Install onnxruntime-node anew.",
      cause,
    );
  }
}

async function openNative(ort: Ort, file: string, threads: number): Promise<InferenceSession> {
  const size = await stat(file).then(
    (found) => found.size,
    (cause: unknown) => {
      throw modelError(`The model file ${file} cannot be read. Check the path and its permissions.`, cause);
    },
  );
  if (size === 0) throw modelError(`The model file ${file} is empty. Fetch or export it again.`);
  try {
    return await ort.InferenceSession.create(file, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionProviders: ["cpu"],
      logSeverityLevel: 3,
      // Threads that wait by spinning take the cores from the next session's run.
      extra: { session: { intra_op: { allow_spinning: "0" } } },
    });
  } catch (cause) {
    throw modelError(
      `${file} is not an ONNX model that can run here: it is damaged, cut short or uses unknown operations (${firstLine(cause)}). Fetch or export it again.`,
      cause,
    );
  }
}

function createSession(ort: Ort, native: InferenceSession, name: string, onClose: () => void): TensorSession {
  let closing: Promise<void> | undefined;
  return {
    inputs: native.inputMetadata.map((info) => toInfo(info, name)),
    outputs: native.outputMetadata.map((info) => toInfo(info, name)),
    async run(feeds) {
      if (closing !== undefined) throw modelError(`The model ${name} was closed. Open it again.`);
      try {
        const entries = Object.entries(feeds).map(([key, tensor]) => [
          key,
          new ort.Tensor(tensor.type, tensor.data, tensor.dims),
        ]);
        const results = await native.run(Object.fromEntries(entries));
        return Object.fromEntries(Object.entries(results).map(([key, value]) => [key, fromOrt(value)]));
      } catch (cause) {
        throw modelError(`The model ${name} cannot run on this input: ${firstLine(cause)}`, cause);
      }
    },
    close() {
      onClose();
      closing ??= native.release();
      return closing;
    },
  };
}

function toInfo(info: InferenceSession.ValueMetadata, model: string): TensorInfo {
  if (!info.isTensor)
    throw modelError(`The model ${model} has "${info.name}", which is not a tensor. Export it without.`);
  const { name, type, shape } = info;
  if (!isTensorType(type)) {
    throw modelError(
      `The model ${model} has "${name}" of type ${type}, which does not run here. Export it with float32.`,
    );
  }
  const dims = shape.map((size) => (typeof size === "number" ? size : -1));
  const [first] = shape;
  return typeof first === "string" && first !== "" ? { name, type, dims, batchName: first } : { name, type, dims };
}

function fromOrt(value: OrtTensor): Tensor {
  if (!isTensorType(value.type)) throw new TypeError(`an output has the type ${value.type}, which is not supported`);
  return { type: value.type, dims: value.dims, data: value.data } as Tensor;
}

function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split("\n")[0]!.slice(0, 200);
}
