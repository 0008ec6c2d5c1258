import { afterEach, describe, expect, it } from "vitest";
import { JPEG } from "../../testing/fake-app.ts";
import { fakeParts } from "../../testing/fake-http-parts.ts";
import { createHttpServer } from "../http/create-http-server.ts";
import type { HttpServer } from "../http/http-parts.ts";
import { listen } from "../http/listen.ts";
import { createApiClient } from "./api-client.ts";

let server: HttpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function client() {
  server = await createHttpServer(fakeParts());
  return createApiClient({ address: await listen(server, { host: "127.0.0.1", port: 0 }), token: "t" });
}

describe("the client of the command line", () => {
  it("talks to the real routes", async () => {
    const app = await client();
    expect((await app.health()).speaker).toBe("offline interpreter");
    const session = await app.createSession();
    expect(await app.upload(JPEG)).toMatch(/^art_/);
    const types: string[] = [];
    for await (const event of app.say(session, { text: "What do you see on street?" })) types.push(event.type);
    expect(types[0]).toBe("run_started");
    expect(types.at(-1)).toBe("run_ended");
  });

  it("passes on the reason and the way out", async () => {
    const app = await client();
    const refused = app.say("session_none", { text: "hi" })[Symbol.asyncIterator]().next();
    await expect(refused).rejects.toMatchObject({
      kind: "refused",
      message: "There is no session session_none. POST /api/sessions makes one.",
    });
  });

  it("sends what may take long, and gets the answer or the reason", async () => {
    const app = await client();
    expect(await app.send("PUT", "/api/mode", { mode: "away" })).toMatchObject({ mode: expect.any(String) });
    await expect(app.send("POST", "/api/watches/preview", {})).rejects.toMatchObject({ kind: "refused" });
  });

  it("says that nobody answers", async () => {
    const nobody = createApiClient({ address: "http://127.0.0.1:1", token: "t" });
    await expect(nobody.health()).rejects.toMatchObject({ kind: "unreachable" });
    await expect(nobody.send("POST", "/api/undo")).rejects.toMatchObject({ kind: "unreachable" });
  });
});
