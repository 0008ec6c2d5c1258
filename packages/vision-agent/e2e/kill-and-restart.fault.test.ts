import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Alert, PipelineStatus, RunOutcome, SceneEvent, SessionDetail } from "@vision-agent/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  callProduct,
  getJson,
  postJson,
  type RunningProduct,
  startProduct,
  temporaryWorkspace,
  until,
} from "./start-product.ts";

describe("a product that is killed", () => {
  let home: Awaited<ReturnType<typeof temporaryWorkspace>>;
  let product: RunningProduct | undefined;

  beforeEach(async () => {
    home = await temporaryWorkspace();
  });
  afterEach(async () => {
    await product?.stop("SIGKILL");
    await home.remove();
  });

  it("runs what was running again, under the same id, and continues the session", async () => {
    product = await startProduct({ workspace: home.folder });
    const before = await running(product);
    expect(before.map((pipeline) => pipeline.name)).toEqual(["street-count"]);
    const { id } = await postJson<{ id: string }>(product, `/api/sessions`, {});
    await say(product, id, "What do you see on street?");

    await product.stop("SIGKILL");
    product = await startProduct({ workspace: home.folder });

    const after = await running(product);
    expect(after.map((pipeline) => pipeline.pipeline_id)).toEqual(before.map((pipeline) => pipeline.pipeline_id));
    const history = await getJson<SessionDetail>(product, `/api/sessions/${id}`);
    expect(history.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
    const answer = await say(product, id, "What is running?");
    expect(answer.text).toContain("street-count");
    expect((await getJson<SessionDetail>(product, `/api/sessions/${id}`)).messages).toHaveLength(4);
  });

  it("does not start again what was stopped, nor the demo after the first start", async () => {
    product = await startProduct({ workspace: home.folder });
    const [demo] = await running(product);
    const gone = await callProduct(product, `/api/pipelines/${demo?.pipeline_id}`, { method: "DELETE" });
    expect(gone.ok).toBe(true);

    await product.stop("SIGKILL");
    product = await startProduct({ workspace: home.folder });

    expect(await getJson<PipelineStatus[]>(product, `/api/pipelines`)).toEqual([]);
  });

  it("keeps events, alerts and their pictures, and leaves only whole files, wherever it is hit", async () => {
    for (let round = 0; round < 3; round += 1) {
      product = await startProduct({ workspace: home.folder });
      const running = product;
      await until(async () => {
        const events = await getJson<SceneEvent[]>(running, "/api/events");
        return events.some((event) => event.picture !== undefined) ? true : undefined;
      }, 30_000);
      await new Promise((wake) => setTimeout(wake, 137 * (round + 1)));
      await product.stop("SIGKILL");
      JSON.parse(await readFile(join(home.folder, "active_state.json"), "utf8"));
    }
    product = await startProduct({ workspace: home.folder, flags: ["--no-demo"] });
    const events = await getJson<SceneEvent[]>(product, `/api/events`);
    const shown = events.find((event) => event.picture !== undefined);
    const picture = await callProduct(product, `/api/events/${shown?.id}/picture.jpg`);
    expect(picture.status).toBe(200);
    expect(picture.headers.get("content-type")).toBe("image/jpeg");
    expect(Array.isArray(await getJson<Alert[]>(product, `/api/alerts`))).toBe(true);
  });
});

async function running(product: RunningProduct): Promise<PipelineStatus[]> {
  return until(async () => {
    const all = await getJson<PipelineStatus[]>(product, `/api/pipelines`);
    return all.length > 0 && all.every((pipeline) => pipeline.status === "running") ? all : undefined;
  });
}

function say(product: RunningProduct, session: string, text: string): Promise<RunOutcome> {
  return postJson<RunOutcome>(product, `/api/sessions/${session}/messages`, { text });
}
