import { afterEach, describe, expect, it } from "vitest";
import { fakeParts } from "../../testing/fake-http-parts.ts";
import { WorkspaceError } from "../../workspace/workspace-error.ts";
import { createHttpServer } from "../http/create-http-server.ts";
import type { HttpServer } from "../http/http-parts.ts";
import { listen } from "../http/listen.ts";
import type { AppFlags, AppLauncher } from "./app-flags.ts";
import { connectApp } from "./connect-app.ts";

/** As the command line gives them: what was not typed is there as undefined. */
const FLAGS: AppFlags = { host: undefined, port: undefined, cameras: [], demo: true };
let server: HttpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("connecting to an app", () => {
  it("takes the one that runs on this workspace and leaves it running", async () => {
    const { launcher, log } = await doorTo({ running: true });
    const app = await connectApp(launcher, FLAGS, () => undefined);
    expect(app.greeting).toMatch(/^Connected to http:\/\/127\.0\.0\.1:\d+; offline interpreter answers\.$/);
    expect(app.pictureAt("art_1")).toMatch(/\/api\/artifacts\/art_1$/);
    await app.close();
    expect(log).toEqual([]);
  });

  it("starts one on a free port when none runs, and stops it again", async () => {
    const { launcher, log } = await doorTo({ running: false });
    const app = await connectApp(launcher, FLAGS, () => undefined);
    const id = `art_${"0a".repeat(16)}`;
    expect(app.pictureAt(id)).toBe(`/w/artifacts/0a/${id}`);
    expect((await app.client.health()).status).toBe("ok");
    await app.close();
    expect(log).toEqual(["start on port 0", "stop"]);
  });

  it("waits for an app that is starting on this workspace", async () => {
    const { launcher, log } = await doorTo({ running: false });
    const [notices, waits]: [string[], number[]] = [[], []];
    const { address, token } = await launcher.start({ ...FLAGS, port: "0" }, () => undefined);
    const starting: typeof launcher = {
      findRunning: async () => (waits.length < 3 ? undefined : { address, token }),
      start: async () => Promise.reject(new WorkspaceError("in_use", { message: "It is in use.", hint: "" })),
    };
    const app = await connectApp(
      starting,
      FLAGS,
      (notice) => notices.push(notice),
      async (ms) => waits.push(ms),
    );
    expect(app.greeting).toContain("Connected to");
    expect(notices).toEqual([expect.stringContaining("is starting")]);
    expect(log).toEqual(["start on port 0"]);
  });

  it("gives up where the workspace stays in use", async () => {
    const { launcher } = await doorTo({ running: false });
    const inUse = new WorkspaceError("in_use", { message: "It is in use.", hint: "" });
    const busy = { ...launcher, start: async () => Promise.reject(inUse) };
    await expect(
      connectApp(
        busy,
        FLAGS,
        () => undefined,
        async () => undefined,
      ),
    ).rejects.toBe(inUse);
  });

  it("refuses cameras that the running one would not have", async () => {
    const { launcher } = await doorTo({ running: true });
    const connecting = connectApp(launcher, { ...FLAGS, cameras: ["a=sim://street"] }, () => undefined);
    await expect(connecting).rejects.toThrow("Leave out --camera");
  });
});

async function doorTo({ running }: { readonly running: boolean }) {
  server = await createHttpServer(fakeParts());
  const address = await listen(server, { host: "127.0.0.1", port: 0 });
  const log: string[] = [];
  const launcher: Pick<AppLauncher, "start" | "findRunning"> = {
    findRunning: async () => (running ? { address, token: "t" } : undefined),
    async start({ port }) {
      log.push(`start on port ${port}`);
      const where = { address, link: address, token: "t", folder: "/w" };
      return { ...where, speaker: "x", cameras: [], stop: async () => void log.push("stop") };
    },
  };
  return { launcher, log };
}
