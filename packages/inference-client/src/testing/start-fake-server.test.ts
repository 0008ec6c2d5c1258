import { afterEach, describe, expect, it } from "vitest";
import type { FakeServer } from "./fake-server.ts";
import { startFakeServer } from "./start-fake-server.ts";

let server: FakeServer;

afterEach(() => server.close());

describe("the faults of the fake server", () => {
  it("hangs until it is mended, and only where it was told to", async () => {
    server = await startFakeServer();
    server.break({ kind: "hang", path: /^\/info$/ });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const hanging = fetch(`${server.url}/info`).catch(() => "cut");
    await new Promise((resolve) => setTimeout(resolve, 30));
    server.mend();
    expect(await hanging).toBe("cut");
    expect((await fetch(`${server.url}/info`)).status).toBe(200);
  });

  it("answers a status with Retry-After as often as asked", async () => {
    server = await startFakeServer();
    server.break({ kind: "status", status: 503, retryAfterS: 2, times: 1 });
    const first = await fetch(`${server.url}/info`);
    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "2"]);
    expect((await fetch(`${server.url}/info`)).status).toBe(200);
  });

  it("drips without an end and sends garbage", async () => {
    server = await startFakeServer();
    server.break({ kind: "garbage", path: /info/ });
    await expect(fetch(`${server.url}/info`).then((response) => response.json())).rejects.toThrow();
    server.break({ kind: "drip", everyMs: 5, path: /healthz/ });
    const dripping = fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(80) }).then((response) =>
      response.text(),
    );
    await expect(dripping).rejects.toThrow();
  });

  it("comes back on the same port with nothing in memory, as another version if asked", async () => {
    server = await startFakeServer();
    const body = JSON.stringify({ model_id: "coco/3" });
    await fetch(`${server.url}/model/add`, { method: "POST", headers: { "content-type": "application/json" }, body });
    expect(server.loadedModels).toEqual(["coco/3"]);
    await server.kill();
    await expect(fetch(`${server.url}/info`)).rejects.toThrow();
    await server.restart({ version: "1.5.0" });
    expect(await (await fetch(`${server.url}/info`)).json()).toMatchObject({ version: "1.5.0" });
    expect(server.loadedModels).toEqual([]);
  });

  it("cuts what is under way when it is killed, and closes twice", async () => {
    server = await startFakeServer();
    server.break({ kind: "hang" });
    const waiting = fetch(`${server.url}/info`).catch(() => "cut");
    await new Promise((resolve) => setTimeout(resolve, 30));
    await server.kill();
    expect(await waiting).toBe("cut");
    await server.close();
  });
});
