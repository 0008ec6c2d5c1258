import { afterEach, describe, expect, it } from "vitest";
import { type GstreamerCamera, missingForRtsp, startCamera } from "../../vision-engine/rtsp/gstreamer-camera.ts";
import { ACME } from "../src/testing/acme-workspace.ts";
import { type RoboflowLoopback, startRoboflowLoopback } from "../src/testing/roboflow-loopback.ts";
import { openScenarioApp, type ScenarioApp, until } from "../src/testing/scenario-app.ts";

const missing = missingForRtsp();
if (missing !== undefined) process.stdout.write(`scenarios on an RTSP camera: skipped, since ${missing}.\n`);

let camera: GstreamerCamera | undefined;
let roboflow: RoboflowLoopback | undefined;
let app: ScenarioApp | undefined;

afterEach(async () => {
  await app?.stop();
  await roboflow?.close();
  await camera?.stop();
});

describe.skipIf(missing !== undefined)("an MVP scenario on an RTSP camera", () => {
  it("S000-9.9 a saved workflow takes two pictures a second of the camera at an address", async () => {
    camera = await startCamera({ codec: "h264" });
    roboflow = await startRoboflowLoopback(ACME);
    const inference = { api_key: roboflow.key, roboflow_api_url: roboflow.url };
    const { say, pipelines, definitions, results } = await open({ inference });
    const address = `rtsp://127.0.0.1:${camera.port}/cam`;
    await say(`Use my workflow 'inventory-count' on ${address} at 2 FPS`);
    const { text } = await say("in acme");
    expect(text).toContain("At most 2 frames a second.");
    const [pipeline] = await pipelines();
    expect(pipeline).toMatchObject({ video_reference: address, models: ["my-ws/hard-hat/3"] });
    const spec = ACME.workflows["acme/inventory-count"];
    expect(await definitions()).toMatchObject([{ video_reference: address, max_fps: 2, backend: "direct", spec }]);
    const taken = await until("handful of results", async () => {
      const all = await results(pipeline?.pipeline_id ?? "");
      return all.length >= 4 && all.map(({ frame }) => frame);
    });
    expect(taken[0]).toMatchObject({ width: 320, height: 240 });
    const times = taken.map(({ timestamp }) => Date.parse(timestamp));
    expect(Math.min(...times.slice(1).map((time, at) => time - times[at]!))).toBeGreaterThanOrEqual(400);
    expect(roboflow.served).toContain("workflow acme/inventory-count");
  });
});

async function open(config: Readonly<Record<string, object>>): Promise<ScenarioApp> {
  app = await openScenarioApp({ cameras: { cam1: "sim://warehouse?width=320&height=180" }, config });
  return app;
}
