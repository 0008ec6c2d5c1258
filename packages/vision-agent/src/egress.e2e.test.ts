import { type AnthropicLoopback, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import type { DeparturePage, EgressRuleList } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { redPicture } from "./testing/acme-workspace.ts";
import { openScenarioApp, type ScenarioApp, until } from "./testing/scenario-app.ts";
import { call, type Heard, type Step, say, toScript } from "./testing/scripted-turns.ts";

let model: AnthropicLoopback | undefined;
let app: ScenarioApp | undefined;
afterEach(async () => {
  await app?.stop();
  await model?.close();
  [app, model] = [undefined, undefined];
});

/** The provider runs here and is treated as if it were elsewhere. */
async function open(
  steps: readonly Step[],
  egress: object = {},
): Promise<{ app: ScenarioApp; host: string; pictures: () => number }> {
  const provider = await startAnthropicLoopback({ script: toScript(steps) });
  model = provider;
  const { host } = new URL(provider.url);
  app = await openScenarioApp({
    cameras: { door: "sim://street?width=320&height=180" },
    config: {
      llm: { provider: "anthropic", api_key: provider.apiKey, base_url: provider.url },
      egress: { remote_hosts: [host], ...egress },
    },
  });
  const pictures = (): number => JSON.stringify(provider.requests).split('"type":"image"').length - 1;
  return { app, host, pictures };
}

const look: Step = () => call(["capture_frame", { camera: "door" }]);
const repeat: Step = ({ results }: Heard) => say(results.map(({ text }) => text).join(" ") || "Nothing.");

describe("pictures and a provider elsewhere", () => {
  it("asks once, remembers the yes, and writes down each picture that leaves", async () => {
    const { app: home, host, pictures } = await open([look, repeat, look, repeat]);
    const first = await home.say("What do you see at the door?");
    expect(first.status).toBe("paused");
    const [pause] = await home.pauses();
    expect(pause?.prompt).toBe(`May pictures of door be sent to ${host}? I will remember the answer.`);
    expect(pictures()).toBe(0);
    expect((await home.agree()).status).toBe("finished");
    expect(pictures()).toBe(1);
    expect((await home.say("And now?")).status).toBe("finished");
    const { departures } = await home.get<DeparturePage>("/api/egress?camera=door");
    expect(departures.length).toBe(pictures());
    expect(departures[0]).toMatchObject({ camera: "door", to: host, kind: "model", what: "picture" });
    const { rules } = await home.get<EgressRuleList>("/api/egress/rules");
    expect(rules).toMatchObject([{ camera: "door", destination: host, images: "allow" }]);
  }, 60_000);

  it("a no is remembered: the next look gives words only, without a question", async () => {
    const { app: home, host, pictures } = await open([look, () => say("As you wish."), look, repeat]);
    await home.say("What do you see at the door?");
    expect((await home.say("no")).text).toBe("As you wish.");
    const { rules } = await home.get<EgressRuleList>("/api/egress/rules");
    expect(rules).toMatchObject([{ camera: "door", destination: host, images: "never" }]);
    const second = await home.say("Look again.");
    expect(second).toMatchObject({ status: "finished", text: expect.stringContaining("Model: sim/truth") });
    expect(second.text).toContain(`Picture not sent: pictures of door are never sent to ${host}`);
    expect(pictures()).toBe(0);
  }, 60_000);

  it("under never not one byte of a picture is sent, by whichever tool, name or attachment it comes", async () => {
    const {
      app: home,
      host,
      pictures,
    } = await open(
      [
        () =>
          call(
            ["capture_frame", { camera: "door" }],
            ["run_inference", { image: "DOOR", model_id: "sim/truth" }],
            ["ask_about_image", { image: "door", question: "Who is there?" }],
            ["detect_zero_shot", { image: "door", class_names: ["ladder"] }],
          ),
        repeat,
        repeat,
        repeat,
        repeat,
      ],
      { images: "never" },
    );
    expect((await home.say("What do you see at the door?")).status).toBe("finished");
    // The picture is kept, and somebody attaches it.
    const [step] = (await home.steps()).filter(({ tool }) => tool === "capture_frame");
    expect(step?.images.length).toBe(1);
    await home.say(`And on ${step?.images[0]}?`);
    expect(pictures()).toBe(0);
    expect((await home.get<DeparturePage>("/api/egress")).departures).toEqual([]);
    expect(model?.requests.length).toBeGreaterThan(2);
    expect(host).toContain("127.0.0.1");
  }, 60_000);

  it("a picture that a person attaches is theirs to send, and is written down", async () => {
    const { app: home, pictures } = await open([repeat]);
    await home.say("What is this?", [await redPicture()]);
    expect(pictures()).toBe(1);
    const { departures } = await home.get<DeparturePage>("/api/egress");
    expect(departures).toMatchObject([{ camera: null, what: "picture" }]);
  }, 60_000);

  it("a scheduled run, where nobody can be asked, gets words only", async () => {
    const { app: home, pictures } = await open([
      () =>
        call(["schedule_task", { instructions: "Look at the door.", at: new Date(Date.now() + 1500).toISOString() }]),
      repeat,
      look,
      repeat,
    ]);
    const planned = await home.say("Look at the door in a moment.");
    if (planned.status === "paused") await home.agree();
    const told = await until("answer of the task", async () => {
      const alerts = await home.alerts();
      return alerts.find(({ text }) => text.includes("Picture not sent"));
    });
    expect(told.text).toContain("nobody has allowed");
    expect(pictures()).toBe(0);
    expect(await home.pauses()).toEqual([]);
  }, 90_000);
});
