import { type Clock, sleepUnless } from "@vision-agent/agent-core";
import type { FrameResult } from "@vision-agent/protocol";
import { BackendError } from "../backends/backend.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";

/** An event does not wait longer for its picture. */
const PICTURE_TIMEOUT_MS = 1500;

/** The JPEG of that very frame, drawn where the workflow draws; without a frame the last one that was seen. */
export async function takeEventPicture(
  options: { readonly pipelines: Pick<PipelineRegistry, "picture">; readonly clock: Clock },
  frame: { readonly pipelineId: string; readonly result: FrameResult | undefined },
): Promise<Uint8Array | undefined> {
  const done = new AbortController();
  const tooLate = sleepUnless(options.clock, PICTURE_TIMEOUT_MS, done.signal).then(() => undefined);
  try {
    return await Promise.race([fetchPicture(options.pipelines, frame), tooLate]);
  } catch (error) {
    // The pipeline may be gone by now; the event stands without a picture.
    if (error instanceof BackendError) return undefined;
    throw error;
  } finally {
    done.abort();
  }
}

async function fetchPicture(
  pipelines: Pick<PipelineRegistry, "picture">,
  { pipelineId, result }: { readonly pipelineId: string; readonly result: FrameResult | undefined },
): Promise<Uint8Array | undefined> {
  const frameNumber = result?.frame.frame_number;
  const drawn = Object.entries(result?.outputs ?? {}).find(([, { kind }]) => kind === "image")?.[0];
  if (drawn) {
    const annotated = await pipelines.picture(pipelineId, { output: drawn, frameNumber });
    if (annotated) return annotated.jpeg;
  }
  return (await pipelines.picture(pipelineId, { frameNumber }))?.jpeg;
}
