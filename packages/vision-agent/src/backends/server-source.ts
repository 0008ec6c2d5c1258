// camera address → what an Inference server is told to read, or why it cannot
import { isAbsolute } from "node:path";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { parseSourceAddress } from "@vision-agent/vision-engine";
import { BackendError } from "./backend.ts";

/** What a server reads by itself. */
export interface ServerSource {
  /** With credentials; never to be shown. */
  readonly reference: string;
  readonly isFile: boolean;
}

const WAY_OUT = "choose the webrtc backend, which sends the pictures from here, or direct";

/**
 * Network cameras are read by the server under the same address. A file is read by the server, too, which must run on
 * this machine (`onThisMachine`), and its path must be absolute. Throws `BackendError` or `EngineError` kind `source`.
 */
export function toServerSource(address: string, onThisMachine: boolean): ServerSource {
  const parsed = parseSourceAddress(address);
  switch (parsed.kind) {
    case "rtsp":
    case "http":
      return { reference: parsed.url, isFile: false };
    case "sim":
      throw refusal(`${parsed.label} is drawn on this machine and no server can read it: ${WAY_OUT}.`);
    case "webcam":
      throw refusal(`${parsed.label} is plugged into this machine and no server can read it: ${WAY_OUT}.`);
    case "path": {
      if (!/^file:/i.test(address.trim()) && !isAbsolute(address.trim())) {
        throw refusal(`${parsed.label} is read by the server, which needs the whole path, as in /videos/clip.mp4.`);
      }
      if (!onThisMachine)
        throw refusal(`${parsed.label} lies on this machine and the server is on another: ${WAY_OUT}.`);
      return { reference: parsed.path, isFile: true };
    }
  }
}

/** Whether a server of this address runs on this machine. */
export function isOnThisMachine(url: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? "";
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}

function refusal(message: string): BackendError {
  return new BackendError({ kind: "source", message });
}

/** The output that shows the frame as the camera saw it. Ours: it is never among the outputs of a result. */
export const FRAME_OUTPUT = "__frame";

const IMAGE_INPUT_TYPES: ReadonlySet<string> = new Set(["WorkflowImage", "InferenceImage"]);

export interface ServerWorkflow {
  /** With `FRAME_OUTPUT`, which costs nothing while nobody asks for it. */
  readonly spec: WorkflowSpec;
  /** Name of the input that takes the frame; `image` when the workflow has none. */
  readonly imageInput: string;
  /** As the workflow's author names them, in order. */
  readonly outputs: readonly string[];
}

export function toServerWorkflow(spec: WorkflowSpec): ServerWorkflow {
  const input = spec.inputs.find(({ type }) => IMAGE_INPUT_TYPES.has(type));
  const outputs = spec.outputs.map(({ name }) => name);
  if (input === undefined) return { spec, imageInput: "image", outputs };
  const frame = { type: "JsonField", name: FRAME_OUTPUT, selector: `$inputs.${input.name}` };
  return { spec: { ...spec, outputs: [...spec.outputs, frame] }, imageInput: input.name, outputs };
}
