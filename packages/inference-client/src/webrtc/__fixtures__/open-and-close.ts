// opens a session and closes it, then has nothing left to do: the process must end by itself
import { systemClock } from "../../client-clock.ts";
import { openSession } from "../open-session.ts";
import type { SessionSource } from "../session.ts";
import { createAnswerer } from "./answerer.ts";

const pushes = process.argv[2] === "frames";
const source: SessionSource = pushes
  ? { kind: "frames", width: 64, height: 48, fps: 10 }
  : { kind: "rtsp", url: "rtsp://camera.local/1" };
const server = createAnswerer();
const result = Promise.withResolvers<void>();
const session = await openSession({
  client: server.client,
  workflow: { specification: { version: "1.0", inputs: [], steps: [], outputs: [] } },
  source,
  ...(pushes && { streamOutput: "viz", onVideo: () => undefined }),
  clock: systemClock,
  onMessage: () => result.resolve(),
});
if (pushes) session.push({ kind: "rgba", capturedAt: 0, bytes: new Uint8Array(64 * 48 * 4) });
const [link] = server.links;
await link?.opened;
link?.sendResult(1, {});
await result.promise;
await Promise.all([session.close(), session.close()]);
await session.close();
await server.close();
process.stdout.write((await session.ended).kind);
