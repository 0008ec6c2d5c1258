import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../client-clock.ts";
import { openSession } from "./open-session.ts";
import type { SessionClient, SessionMessage } from "./session.ts";

let child: ChildProcess | undefined;

afterEach(() => void child?.kill("SIGKILL"));

describe("a session whose server is killed", () => {
  it("learns it from the silence within a minute and leaves nothing behind", async () => {
    const messages: SessionMessage[] = [];
    const session = await openSession({
      client: clientOfChild(),
      workflow: { specification: { version: "1.0", inputs: [], steps: [], outputs: [] } },
      source: { kind: "rtsp", url: "rtsp://camera.local/1" },
      clock: systemClock,
      onMessage: (message) => {
        messages.push(message);
        child?.kill("SIGKILL");
      },
    });
    expect(await session.ended).toMatchObject({ kind: "failed", error: { kind: "network" } });
    expect(messages).toHaveLength(1);
    expect(session.state).toBe("ended");
    await session.close();
  }, 60_000);
});

function clientOfChild(): SessionClient {
  child = fork(join(import.meta.dirname, "__fixtures__/answer-in-child.ts"), { execArgv: [] });
  return {
    webrtc: {
      async initialise(start) {
        child?.send(start);
        const [answer] = await once(child!, "message");
        return answer;
      },
    },
  };
}
