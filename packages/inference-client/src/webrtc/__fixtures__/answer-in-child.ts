// the other end of a session in a process of its own, so that a test can kill it
import type { WebRtcStart } from "../../http/pipeline-calls.ts";
import { createAnswerer } from "./answerer.ts";

const server = createAnswerer();

process.on("message", async (start: WebRtcStart) => {
  process.send?.(await server.client.webrtc.initialise(start));
  const [link] = server.links;
  await link?.opened;
  link?.sendResult(1, {});
});
