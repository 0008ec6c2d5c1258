// source or picture → frame → workflow → result and pictures
import type { FrameResult } from "@vision-agent/protocol";
import { inputError, sourceError } from "../errors.ts";
import type { PooledFrame } from "../frames/frame-pool.ts";
import { ImageValue } from "../frames/image-value.ts";
import type { CompiledWorkflow } from "../workflow/workflow.ts";
import type { SourceFeed } from "./source-set.ts";
import { memoryOf, type ThreadParts, type ThreadPort, type ThreadTask, toWireError } from "./thread-messages.ts";

/** Runs the first frame of a source, or a picture, through a workflow and reports it with its pictures. */
export async function runOnceThread(task: ThreadTask, port: ThreadPort, parts: ThreadParts): Promise<void> {
  const [source] = task.sources as [ThreadTask["sources"][number]];
  let workflow: CompiledWorkflow | undefined;
  let feed: SourceFeed<PooledFrame> | undefined;
  const stop = new AbortController();
  port.on("message", ({ type }) => {
    if (type !== "stop") return;
    stop.abort(inputError("Nobody waits for the frame any more."));
    void feed?.close();
  });
  try {
    workflow = await parts.compile(task.workflow, task.parameters);
    stop.signal.throwIfAborted();
    let image: ImageValue;
    if (task.picture === undefined) {
      feed = parts.createFeed(source, { maxFps: task.maxFps, onLost: () => undefined, onHealth: () => undefined });
      image = (await firstFrame(feed, stop.signal)).image;
    } else image = ImageValue.ofFrame(await parts.decodePicture(task.picture, source.sourceId));
    const frame = image.metadata;
    const begun = parts.now();
    const [run] = await workflow.runImages([image]);
    const result: FrameResult = { frame, outputs: run!.outputs, latency_ms: parts.now() - begun };
    const [drawn] = run!.images.values();
    const picture = { ...(await parts.encodeJpeg(image, {})), frame };
    const annotated = drawn && { ...(await parts.encodeJpeg(drawn, {})), frame };
    port.postMessage({ type: "once", result, picture, annotated }, memoryOf(picture, annotated));
  } catch (error) {
    port.postMessage({ type: "refused", error: toWireError(error) });
  } finally {
    await feed?.close();
    await workflow?.close();
    await parts.close();
    port.postMessage({ type: "over" });
  }
}

async function firstFrame(feed: SourceFeed<PooledFrame>, signal: AbortSignal): Promise<PooledFrame> {
  await feed.open();
  const frame = await feed.next(signal);
  if (frame !== undefined) return frame;
  throw sourceError("no_video", "The source ended before its first frame.");
}
