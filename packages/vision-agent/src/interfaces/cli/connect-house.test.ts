import { afterEach, describe, expect, it } from "vitest";
import { createHttpServer } from "../http/create-http-server.ts";
import { fakeParts } from "../http/fake-parts.ts";
import type { HttpServer } from "../http/http-parts.ts";
import { listen } from "../http/listen.ts";
import { connectHouse } from "./connect-house.ts";
import type { HouseDoor, HouseFlags } from "./house-flags.ts";

const FLAGS: HouseFlags = { cameras: [], demo: true };
let server: HttpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("connecting to a house", () => {
  it("takes the one that runs on this workspace and leaves it running", async () => {
    const { door, log } = await doorTo({ running: true });
    const house = await connectHouse(door, FLAGS, () => undefined);
    expect(house.greeting).toMatch(/^Connected to http:\/\/127\.0\.0\.1:\d+; offline interpreter answers\.$/);
    expect(house.pictureAt("art_1")).toMatch(/\/api\/artifacts\/art_1$/);
    await house.close();
    expect(log).toEqual([]);
  });

  it("starts one on a free port when none runs, and stops it again", async () => {
    const { door, log } = await doorTo({ running: false });
    const house = await connectHouse(door, FLAGS, () => undefined);
    const id = `art_${"0a".repeat(16)}`;
    expect(house.pictureAt(id)).toBe(`/w/artifacts/0a/${id}`);
    expect((await house.client.health()).status).toBe("ok");
    await house.close();
    expect(log).toEqual(["start on port 0", "stop"]);
  });

  it("refuses cameras that the running one would not have", async () => {
    const { door } = await doorTo({ running: true });
    const connecting = connectHouse(door, { ...FLAGS, cameras: ["a=sim://street"] }, () => undefined);
    await expect(connecting).rejects.toThrow("leave out --camera");
  });
});

async function doorTo({ running }: { readonly running: boolean }) {
  server = await createHttpServer(fakeParts());
  const address = await listen(server, { host: "127.0.0.1", port: 0 });
  const log: string[] = [];
  const door: Pick<HouseDoor, "start" | "findRunning"> = {
    findRunning: async () => (running ? { address } : undefined),
    async start({ port }) {
      log.push(`start on port ${port}`);
      return { address, folder: "/w", speaker: "x", cameras: [], stop: async () => void log.push("stop") };
    },
  };
  return { door, log };
}
