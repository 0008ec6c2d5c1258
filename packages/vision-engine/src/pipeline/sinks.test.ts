import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { OutgoingPicture } from "../blocks/effects.ts";
import { createEngine, type EngineOptions } from "./engine.ts";

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe("the sinks of an engine", () => {
  it("ask the owner of the engine before a picture of a camera leaves its thread", async () => {
    const { url, received } = await listen();
    const asked: OutgoingPicture[] = [];
    const answers = [false, true];
    const look = engineOn(url, {
      allowPicture: async (picture) => {
        asked.push(picture);
        return answers.shift()!;
      },
    });
    expect(await look(false)).toContain("A picture of gate may not be sent to");
    expect(received).toEqual([]);
    expect(await look(false)).toBe("Notification sent successfully");
    expect(received).toHaveLength(1);
    expect(asked).toMatchObject([{ camera: "gate", destination: url }, { camera: "gate" }]);
    expect(asked[0]!.bytes).toBeGreaterThan(100);
  });

  it("send no picture when the question cannot be answered, and say why", async () => {
    const { url, received } = await listen();
    const failures: string[] = [];
    const look = engineOn(url, {
      allowPicture: async () => {
        throw new Error("the settings are damaged");
      },
      onSinkFailure: (_camera, message) => failures.push(message),
    });
    expect(await look(false)).toContain("may not be sent");
    expect(received).toEqual([]);
    expect(failures).toEqual(["Whether a picture may leave could not be asked: the settings are damaged"]);
  });

  it("take a text for the picture that it was made from, however it was changed on the way", async () => {
    const { url, received } = await listen();
    const look = engineOn(url, { allowPicture: async () => false }, piecewise);
    expect(await look(false)).toContain("This picture may not be sent to");
    expect(received).toEqual([]);
  });

  it("take what comes out of a cache for that picture, too", async () => {
    const { url, received } = await listen();
    const look = engineOn(url, { allowPicture: async () => false }, cached);
    expect(await look(false)).toContain("This picture may not be sent to");
    expect(received).toEqual([]);
  });

  it("report what failed in the background", async () => {
    const { url } = await listen(503);
    const failures: [string, string][] = [];
    const look = engineOn(url, { onSinkFailure: (...failure) => failures.push(failure) });
    expect(await look(true)).toContain("background");
    await expect.poll(() => failures).toEqual([["gate", expect.stringContaining("the server answered 503")]]);
  });

  it("reach public addresses only where the engine is told so", async () => {
    const { url, received } = await listen();
    const look = engineOn(url, { publicSinksOnly: true });
    expect(await look(false)).toContain("is not a public address");
    expect(received).toEqual([]);
  });
});

function engineOn(url: string, options: EngineOptions, workflowOf = sending) {
  const engine = createEngine({ inferenceThreads: 1, ...options });
  closing.push(() => engine.close());
  return async (fireAndForget: boolean): Promise<unknown> => {
    const workflow = workflowOf(url, fireAndForget);
    const { result } = await engine.runOnce({ sourceId: "gate", source: "sim://street?width=160&height=90", workflow });
    const { told } = result.outputs;
    return told?.kind === "value" ? told.value : told;
  };
}

/** The picture as text, without its first sign, through two further steps. */
function piecewise(url: string, fireAndForget: boolean): WorkflowSpec {
  const cut = { type: "StringSubSequence", start: 1, end: 9_999_999 };
  const text = (name: string, data: string, operations: readonly object[]) => ({
    type: "roboflow_core/property_definition@v1",
    ...{ name, data, operations },
  });
  const spec = sending(url, fireAndForget);
  const steps = [
    text("words", "$inputs.image", [{ type: "ConvertImageToBase64" }, cut]),
    text("less", "$steps.words.output", [{ type: "StringToUpperCase" }]),
    ...spec.steps.map(({ multi_part_encoded_files: _, ...step }) => ({
      ...step,
      json_payload: { text: "$steps.less.output" },
    })),
  ];
  return { ...spec, steps } as WorkflowSpec;
}

/** The same, kept and taken out again. */
function cached(url: string, fireAndForget: boolean): WorkflowSpec {
  const { steps, ...spec } = piecewise(url, fireAndForget);
  const place = { image: "$inputs.image", key: "k", namespace: "n" };
  const keep = { type: "roboflow_core/cache_set@v1", name: "keep", ...place, value: "$steps.less.output" };
  const out = { type: "roboflow_core/cache_get@v1", name: "out", ...place };
  const sink = steps.map((step) =>
    step.name === "hook" ? { ...step, json_payload: { text: "$steps.out.output" } } : step,
  );
  return { ...spec, steps: [...sink, keep, out] } as WorkflowSpec;
}

function sending(url: string, fireAndForget: boolean): WorkflowSpec {
  return {
    version: "1.0",
    inputs: [{ type: "WorkflowImage", name: "image" }],
    steps: [
      {
        type: "roboflow_core/webhook_sink@v1",
        name: "hook",
        url,
        method: "POST",
        multi_part_encoded_files: { picture: "$inputs.image" },
        fire_and_forget: fireAndForget,
        cooldown_seconds: 0,
      },
    ],
    outputs: [{ type: "JsonField", name: "told", selector: "$steps.hook.message" }],
  };
}

async function listen(status = 200) {
  const received: number[] = [];
  const server: Server = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    received.push(bytes);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}
