import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import { createMemoryArtifactStore } from "../artifacts/memory-artifact-store.ts";
import { createSecretTokens, type SecretTokens } from "../observability/secret-tokens.ts";
import type { ToolIntentRecord } from "../session/session-store.ts";
import { systemClock } from "../types/clock.ts";
import type { EnvironmentState } from "../types/environment.ts";
import { AgentError } from "../types/errors.ts";
import type { Json } from "../types/json.ts";
import type { ToolCall } from "../types/message.ts";
import type { StandardSchema } from "../types/standard-schema.ts";
import { createAskUserTool, createReadArtifactTool, createThinkTool } from "./built-in-tools.ts";
import { type BatchHooks, defineTool, type ExecutedCall, type Tool, type ToolContext, type ToolRun } from "./tool.ts";
import { createToolExecutor, type ToolExecutor } from "./tool-executor.ts";
import { createToolRegistry } from "./tool-registry.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010802", "hex");

describe("executeTool", () => {
  it("AF-26 executes a tool by name with checked arguments", async () => {
    const { result } = await execute([tool({ execute: async ({ name }) => `hello ${name}` })], { name: "Ada" });
    expect(result).toMatchObject({ outcome: "ok", content: [{ type: "text", text: "hello Ada" }] });
  });

  it("AF-28 VA-23 lists everything that is wrong with the arguments and does not run", async () => {
    const parameters = {
      type: "object",
      properties: { name: { type: "string" }, mood: { enum: ["gay", "grave"] } },
      required: ["name"],
      additionalProperties: false,
    };
    const never = tool({ parameters, execute: () => Promise.reject(new Error("ran")) });
    const { result } = await execute([never], { mood: "odd", extra: 1 });
    expect(result.outcome).toBe("invalid_args");
    expect(textOf(result)).toContain('the property "name" (string)');
    expect(textOf(result)).toContain('mood: expected one of "gay", "grave", got "odd"');
    expect(textOf(result)).toContain('no property "extra"');
  });

  it("VA-23 names the five nearest tools of this run when there is none of that name", async () => {
    const names = ["greet", "great", "greets", "grate", "gret_all", "get", "unrelated_one", "another_far_name"];
    const executor = executorOf(names.map((name) => tool({ name })));
    const allowed = (name: string): boolean => name !== "great";
    const { result } = await executor.executeTool(call("c1", { toolName: "gret" }), run({ allowed }));
    expect(result.outcome).toBe("unknown_tool");
    expect(textOf(result)).toBe('There is no tool "gret". The nearest are: get, greet, grate, greets, gret_all.');
    const none = await execute([], {}, { toolName: "gret" });
    expect(textOf(none.result)).toBe('There is no tool "gret". There are none in this run.');
  });

  it("AI-18 turns a throw into a result", async () => {
    const late = tool({ execute: () => Promise.reject(new Error("out of tea")) });
    const early = tool({
      execute: () => {
        throw new Error("out of tea");
      },
    });
    for (const broken of [late, early]) {
      const { result } = await execute([broken], { name: "x" });
      expect([result.outcome, textOf(result)]).toEqual(["error", "out of tea"]);
    }
  });

  it.each([
    ["a function", () => 1, "it returned a function"],
    ["a symbol", Symbol("x"), "it returned a symbol"],
    ["a response that nobody read", new Response("{}"), "it returned a Response"],
    ["a stream", new Blob(["x"]).stream(), "it returned a stream"],
  ])("AI-18 says what is wrong when a tool returns %s", async (_, value, words) => {
    const { result } = await execute([tool({ execute: async () => value as never })]);
    expect(result.outcome).toBe("error");
    expect(textOf(result)).toContain(words);
  });

  it("VA-11 makes readable what JSON has no form for", async () => {
    const loop: { [key: string]: unknown } = { rows: new Map([["a", 1n]]), at: new Date(0), tags: new Set(["x"]) };
    loop.self = loop;
    const { result } = await execute([tool({ execute: async () => loop as never })]);
    const expected = { rows: { a: "1" }, at: "1970-01-01T00:00:00.000Z", tags: ["x"], self: "[circular]" };
    expect(result).toMatchObject({ outcome: "ok", data: expected });
    expect(JSON.parse(textOf(result))).toEqual(expected);
    expect(textOf((await execute([tool({ execute: async () => 7n as never })])).result)).toBe('"7"');
    expect(textOf((await execute([tool({ execute: async () => undefined as never })])).result)).toBe("");
  });

  it("tells of a property that throws, and goes on", async () => {
    const bad = {
      get name(): string {
        throw new Error("no such row");
      },
    };
    const { result } = await execute([tool({ execute: async () => bad })]);
    expect([result.outcome, textOf(result)]).toEqual(["ok", '{"name":"[cannot be read: no such row]"}']);
  });

  it("complaint 8: never executes a call that was cut off or cannot be read", async () => {
    const never = tool({ execute: () => Promise.reject(new Error("ran")) });
    expect((await execute([never], {}, { state: "truncated" })).result.outcome).toBe("not_executed");
    expect((await execute([never], {}, { state: "unparseable" })).result.outcome).toBe("invalid_args");
  });

  it("SC-3 tells the tool who asked, and the rest it may know", async () => {
    let seen: ToolContext | undefined;
    const who = tool({
      timeoutMs: 5_000,
      execute: async (_, context) => {
        seen = context;
        return "";
      },
    });
    await execute([who]);
    expect(seen).toMatchObject({ principal: { userId: "ada" }, sessionId: "s1", runId: "r1", callId: "c1" });
    expect(seen?.env.task.objective).toBe("tea");
    expect(seen?.deadline).toBeGreaterThan(Date.now() + 3_000);
  });

  it("SC-9 answers a call that would have to ask, where nobody can be asked", async () => {
    const { result } = await execute([tool({ approval: "always" })]);
    expect(result.outcome).toBe("not_executed");
  });
});

describe("output", () => {
  it("VA-11 takes strings, JSON and parts", async () => {
    const outputs: [Json | { content: never[] }, unknown][] = [
      ["words", [{ type: "text", text: "words" }]],
      [{ a: [1, null] }, [{ type: "text", text: '{"a":[1,null]}' }]],
      [{ content: "not parts" }, [{ type: "text", text: '{"content":"not parts"}' }]],
      [{ content: [], other: 1 }, [{ type: "text", text: '{"content":[],"other":1}' }]],
      [{ content: [{ type: "text", text: "part" }] }, [{ type: "text", text: "part" }]],
      [null, [{ type: "text", text: "null" }]],
    ];
    for (const [output, content] of outputs) {
      expect((await execute([tool({ execute: async () => output })])).result.content).toEqual(content);
    }
  });

  it("VA-11 lets a tool say that what was asked failed, or that the run ends here", async () => {
    const content = [{ type: "text" as const, text: "no such door" }];
    const failed = await execute([tool({ execute: async () => ({ content, isError: true }) })]);
    const last = await execute([tool({ execute: async () => ({ content, terminate: true }) })]);
    expect([failed.result.outcome, failed.terminate]).toEqual(["error", false]);
    expect([last.result.outcome, last.terminate]).toEqual(["ok", true]);
  });

  it("keeps the data of a result beside the words that were made from it", async () => {
    const image = { type: "image" as const, artifactId: "a", mimeType: "image/png" };
    const text = "Two doors.";
    const { result } = await execute([tool({ execute: async () => ({ data: { doors: 2 }, text, images: [image] }) })]);
    expect(result).toMatchObject({ data: { doors: 2 }, content: [{ type: "text", text }, image] });
    const bare = await execute([tool({ execute: async () => ({ data: [], text: "" }) })]);
    expect(bare.result).toMatchObject({ data: [], content: [] });
  });

  it("takes plain JSON for its own data, and words for none", async () => {
    const json = await execute([tool({ execute: async () => ({ doors: 2 }) })]);
    expect(json.result.data).toEqual({ doors: 2 });
    const notOurs = await execute([tool({ execute: async () => ({ data: 1, text: "x", more: 2 }) })]);
    expect(notOurs.result.data).toEqual({ data: 1, text: "x", more: 2 });
    expect((await execute([tool({ execute: async () => "two doors" })])).result).not.toHaveProperty("data");
  });

  it("lets the words of a result fail and still gives its data", async () => {
    const { result } = await execute([
      tool({ execute: async () => ({ data: { open: [] }, text: "No.", isError: true }) }),
    ]);
    expect(result).toMatchObject({ outcome: "error", data: { open: [] } });
  });

  it("takes secrets and bytes out of the data", async () => {
    const url = `data:image/png;base64,${"A".repeat(80)}`;
    const leaky = tool({ execute: async () => ({ data: { keys: ["hunter-22"], url }, text: "done" }) });
    const executor = createToolExecutor({
      registry: createToolRegistry([leaky]),
      artifacts: createMemoryArtifactStore(),
      clock: systemClock,
      secrets: await tokensOf("hunter-22"),
    });
    const { result } = await executor.executeTool(call("c1"), run());
    expect(result.data).toEqual({
      keys: [expect.stringMatching(/^<secret:[0-9a-f]{12}>$/)],
      url: expect.stringContaining("60 bytes, kept as art_"),
    });
  });

  it("names bytes that are no picture in plain words, and the file that an error quotes", async () => {
    const plain = await execute([tool({ execute: async () => new Uint8Array(3) })]);
    expect(textOf(plain.result)).toMatch(/^\[application\/octet-stream, 3 bytes, kept as art_\w+\]$/);
    const data = Buffer.alloc(90, 7).toString("base64");
    const thrown = await execute([
      tool({ execute: async () => Promise.reject(new Error(`refused: data:image/png;base64,${data} is bad`)) }),
    ]);
    expect(textOf(thrown.result)).toMatch(/^refused: \[image\/png, 90 bytes, kept as art_\w+\] is bad$/);
  });

  it("leaves out data that is too large, or that JSON cannot hold, with a warning", async () => {
    const large = await execute([
      tool({ execute: async () => ({ data: "some words ".repeat(30_000), text: "long" }) }),
    ]);
    expect([textOf(large.result), large.result.data]).toEqual(["long", undefined]);
    expect(large.warnings?.[0]?.code).toBe("tool_data_too_large");
    const odd = await execute([tool({ execute: async () => ({ data: () => 1, text: "odd" }) })]);
    expect([textOf(odd.result), odd.result.data]).toEqual(["odd", undefined]);
    expect(odd.warnings?.[0]?.code).toBe("tool_data_invalid");
  });

  it("checks the data against the schema of the tool, and keeps what the schema knows", async () => {
    const output: StandardSchema<{ readonly doors: number }> = {
      "~standard": {
        version: 1,
        vendor: "own",
        validate: (value) => {
          const { doors } = value as { doors?: unknown };
          return typeof doors === "number" ? { value: { doors } } : { issues: [{ message: "doors is a number" }] };
        },
      },
    };
    const counts = (doors: number) =>
      defineTool({ ...GREET, output, execute: async () => ({ text: "x", data: { doors, extra: 1 } }) });
    expect((await execute([counts(2)])).result.data).toEqual({ doors: 2 });
    const wrong = await execute([counts("two" as unknown as number)]);
    expect([wrong.result.outcome, wrong.result.data]).toEqual(["ok", undefined]);
    expect(wrong.warnings?.[0]?.message).toContain("doors is a number");
    const fails = async (): Promise<never> => {
      throw new Error("no");
    };
    const broken = await execute([defineTool({ ...GREET, output, execute: fails })]);
    expect([broken.result.outcome, broken.warnings]).toEqual(["error", []]);
    // @ts-expect-error The schema says that it is a number.
    defineTool({ ...GREET, output, execute: async () => ({ text: "x", data: { doors: "two" } }) });
  });

  it("VA-13 think answers with nothing", async () => {
    const { result } = await execute([createThinkTool()], { thought: "hm" }, { toolName: "think" });
    expect(result).toMatchObject({ outcome: "ok", content: [] });
  });

  it("VI-4 stores pictures and gives references", async () => {
    const draw = tool({
      execute: async (_, context) => ({
        content: [await context.putImage(PNG, { mimeType: "image/png", alt: "a dot" })],
      }),
    });
    const { results, log } = await batch([draw], [call("c1")]);
    const id = log.find((line) => line.startsWith("artifact tool "))?.split(" ")[2];
    expect(results[0]?.result.content).toEqual([
      { type: "image", artifactId: id, mimeType: "image/png", alt: "a dot" },
    ]);
  });

  it("VA-12 leaves out pictures above the limit of the tool and says how many", async () => {
    const image = (artifactId: string) => ({ type: "image" as const, artifactId, mimeType: "image/png" });
    const content = [image("a"), { type: "text" as const, text: "three" }, image("b"), image("c")];
    const { result } = await execute([tool({ limits: { images: 1 }, execute: async () => ({ content }) })]);
    expect(result.content.map((part) => (part.type === "image" ? part.artifactId : part.text))).toEqual([
      "a",
      "three",
      "[2 more pictures left out: at most 1 in one result]",
    ]);
  });
});

describe("long results", () => {
  const long = `A${"😀 tea ".repeat(20_000)}Z`;
  const longTool = tool({ execute: async () => long });

  it("VA-18 keeps the whole text as an artifact and shows head, hint and tail", async () => {
    const artifacts = createMemoryArtifactStore();
    const { results, log } = await batch([longTool, createReadArtifactTool()], [call("c1")], { artifacts });
    const { result } = results[0] as ExecutedCall;
    const id = result.truncated?.artifactId ?? "";
    expect(result.truncated?.originalBytes).toBe(Buffer.byteLength(long));
    expect(Buffer.from((await artifacts.get(id)) ?? []).toString()).toBe(long);
    expect(log).toContain(`artifact spill ${id}`);
    expect(textOf(result)).toMatch(/^A😀.*read_artifact \{"artifact_id":"art_[0-9a-f]+","offset":\d+\}.*Z$/su);
    expect(Buffer.byteLength(textOf(result))).toBeLessThan(16_300);
    expect(textOf(result).isWellFormed()).toBe(true);
  });

  it("VA-18 read_artifact pages through it to the end without being cut itself", async () => {
    const artifacts = createMemoryArtifactStore();
    const executor = executorOf([longTool, createReadArtifactTool()], artifacts);
    const { result } = await executor.executeTool(call("c1"), run());
    let text = "";
    for (let page = 0, offset = 0; page < 50; page++) {
      const args = { artifact_id: result.truncated?.artifactId ?? "", offset, limit: 12_000 };
      const read = await executor.executeTool(call(`p${page}`, { toolName: "read_artifact", arguments: args }), run());
      expect(read.result.truncated).toBeUndefined();
      const [head = "", ...body] = textOf(read.result).split("\n");
      text += body.join("\n");
      const next = /next page begins at offset (\d+)/.exec(head)?.[1];
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(text).toBe(long);
  });

  it("does not send the model to a tool that it does not have", async () => {
    const { result } = await execute([longTool]);
    expect(textOf(result)).not.toContain("read_artifact");
    expect(textOf(result)).toContain("ask for less at once");
  });

  it("cuts all the same when the whole text cannot be kept, with a warning", async () => {
    const artifacts: ArtifactStore = {
      ...createMemoryArtifactStore(),
      put: () => Promise.reject(new Error("disk full")),
    };
    const { results } = await batch([longTool], [call("c1")], { artifacts });
    expect(results[0]?.result).toMatchObject({ outcome: "ok" });
    expect(results[0]?.result.truncated).toBeUndefined();
    expect(results[0]?.warnings).toMatchObject([
      { code: "spill_failed", message: expect.stringContaining("disk full") },
    ]);
  });

  it("takes the limit of the tool", async () => {
    const { result } = await execute([tool({ limits: { resultTokens: 10 }, execute: async () => "x".repeat(41) })]);
    expect(textOf(result)).toContain("1 of 41 characters left out");
  });

  it("read_artifact shows a picture and refuses what it cannot read", async () => {
    const artifacts = createMemoryArtifactStore();
    const { id } = await artifacts.put(PNG, { mimeType: "image/png", namespace: "n" });
    const { id: zip } = await artifacts.put(Buffer.from("PK"), { mimeType: "application/zip", namespace: "n" });
    const executor = executorOf([createReadArtifactTool()], artifacts);
    const read = async (artifact_id: string, offset = 0) =>
      (await executor.executeTool(call("c", { toolName: "read_artifact", arguments: { artifact_id, offset } }), run()))
        .result;
    expect((await read(id)).content).toEqual([{ type: "image", artifactId: id, mimeType: "image/png" }]);
    expect(textOf(await read(zip))).toContain("cannot be read as text");
    expect(textOf(await read("art_none"))).toContain("There is no artifact");
  });
});

describe("environment", () => {
  it("AF-15 hands on the patches of the output, then those of the projection", async () => {
    const greet = tool({
      execute: async () => ({ content: [], env: [{ op: "set", path: "/task/currentStep", value: "a" }] }),
      project: ({ outcome }, env) => [
        { op: "set", path: "/extensions/last", value: `${outcome} ${env.task.objective}` },
      ],
    });
    expect((await execute([greet])).env).toEqual([
      { op: "set", path: "/task/currentStep", value: "a" },
      { op: "set", path: "/extensions/last", value: "ok tea" },
    ]);
  });

  it("AF-15 tells of a projection that throws, and keeps the result", async () => {
    const greet = tool({
      project: () => {
        throw new Error("no such place");
      },
    });
    const { result, env, warnings } = await execute([greet]);
    expect(result.outcome).toBe("ok");
    expect(textOf(result)).toMatch(/^hello\[Warning: .*no such place\]$/);
    expect(env).toEqual([]);
    expect(warnings?.[0]?.code).toBe("project_failed");
  });

  it("does not project what never ran", async () => {
    const project = () => [{ op: "remove" as const, path: "/x" }];
    expect((await execute([tool({ project })], { name: 3 })).env).toEqual([]);
  });
});

describe("time", () => {
  it("gives up on a tool that takes too long, tells it so, and records that it runs on", async () => {
    let heard: AbortSignal | undefined;
    const slow = tool({
      timeoutMs: 20,
      execute: (_, { signal }) => {
        heard = signal;
        return new Promise(() => undefined);
      },
    });
    const { result, durationMs, warnings } = await execute([slow]);
    expect(result.outcome).toBe("timeout");
    expect(textOf(result)).toContain("may still be running");
    expect(heard?.aborted).toBe(true);
    expect(durationMs).toBeGreaterThanOrEqual(15);
    expect(warnings).toEqual([
      { code: "tool_abandoned", message: '"greet" (c1) ignored the signal to stop and may still be running.' },
    ]);
  });

  it("does not say that a tool was abandoned which stopped when told", async () => {
    const obedient = tool({
      timeoutMs: 20,
      execute: (_, { signal }) => systemClock.sleep(60_000, signal).then(() => ""),
    });
    const { result, warnings } = await execute([obedient]);
    expect([result.outcome, warnings]).toEqual(["timeout", []]);
    expect(textOf(result)).not.toContain("still be running");
  });

  it("takes what a tool finished while it was being stopped", async () => {
    const saves = tool({
      timeoutMs: 10,
      execute: (_, { signal }) =>
        new Promise((done) => signal.addEventListener("abort", () => setImmediate(() => done("saved half")))),
    });
    expect((await execute([saves])).result).toMatchObject({ outcome: "ok", content: [{ text: "saved half" }] });
  });

  it("does not hear what an abandoned tool says afterwards", async () => {
    let context: ToolContext | undefined;
    const stuck = tool({
      timeoutMs: 5,
      execute: (_, given) => {
        context = given;
        return new Promise(() => undefined);
      },
    });
    const { log } = await batch([stuck], [call("c1")]);
    const told = log.length;
    context?.progress("still here");
    context?.emitSignal("late", null);
    expect(log).toHaveLength(told);
  });

  it("leaves no listener on the signal of the run", async () => {
    const { signal } = new AbortController();
    await batch([tool({})], [call("c1"), call("c2")], { run: { signal } });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("retries", () => {
  const flaky = (parts: Partial<Greet>, failures: number, error: () => Error = () => new Error("busy")) => {
    let made = 0;
    return tool({
      ...parts,
      execute: async (_, { idempotencyKey }) => {
        made += 1;
        if (made <= failures) throw error();
        return `${made} ${idempotencyKey}`;
      },
    });
  };

  it("AF-34 tries an idempotent tool again under the same key, with an intent for each attempt", async () => {
    const { results, intents } = await batch(
      [flaky({ annotations: { idempotent: true }, retries: 1 }, 1)],
      [call("c1")],
    );
    expect(results[0]?.result.outcome).toBe("ok");
    expect(intents.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(new Set(intents.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it("AF-34 never tries another tool again, nor an error that says it is final, nor beyond the budget", async () => {
    const idempotent = { annotations: { idempotent: true }, retries: 3 };
    const final = () => new AgentError({ kind: "invalid", code: "bad_key", message: "busy" });
    const empty = { tryTake: () => false };
    const cases = [
      await batch([flaky({ retries: 3 }, 1)], [call("c1")]),
      await batch([flaky(idempotent, 1, final)], [call("c1")]),
      await batch([flaky(idempotent, 1)], [call("c1")], { run: { retryBudget: empty } }),
    ];
    for (const { results, intents } of cases) {
      expect(results[0]?.result).toMatchObject({ outcome: "error", content: [{ text: "busy" }] });
      expect(intents).toHaveLength(1);
    }
  });

  it("ends a wait between attempts when it is cancelled", async () => {
    const controller = new AbortController();
    const always = flaky({ annotations: { readOnly: true }, retries: 5 }, 99);
    setTimeout(() => controller.abort(), 20);
    const { results } = await batch([always], [call("c1")], { run: { signal: controller.signal } });
    expect(results[0]?.durationMs).toBeLessThan(1_000);
  });
});

describe("intents", () => {
  it("writes the intent before the tool starts, and the tool does not start when it cannot be written", async () => {
    const order: string[] = [];
    const greet = tool({
      execute: async () => {
        order.push("ran");
        return "";
      },
    });
    const onIntent = async () => {
      await systemClock.sleep(5);
      order.push("intent");
    };
    await batch([greet], [call("c1")], { hooks: { onIntent } });
    expect(order).toEqual(["intent", "ran"]);
    const failing = { onIntent: () => Promise.reject(new Error("disk full")) };
    await expect(batch([greet], [call("c1")], { hooks: failing })).rejects.toThrow("disk full");
    expect(order).toHaveLength(2);
  });

  it("derives the key from session, run, call and arguments, whatever the order of the properties", async () => {
    const keyOf = async (args: ToolCall["arguments"], parts: Partial<ToolRun> = {}, id = "c1") =>
      (await batch([tool({})], [call(id, { arguments: args })], { run: parts })).intents[0]?.idempotencyKey;
    const key = await keyOf({ a: 1, b: { c: 2, d: 3 } });
    expect(await keyOf({ b: { d: 3, c: 2 }, a: 1 })).toBe(key);
    const others = [
      await keyOf({ a: 2, b: { c: 2, d: 3 } }),
      await keyOf({ a: 1, b: { c: 2, d: 3 } }, { runId: "r2" }),
      await keyOf({ a: 1, b: { c: 2, d: 3 } }, { sessionId: "s2" }),
      await keyOf({ a: 1, b: { c: 2, d: 3 } }, {}, "c2"),
    ];
    expect(new Set([key, ...others]).size).toBe(5);
  });

  it("hands on progress and signals, bounded", async () => {
    const greet = tool({
      execute: async (_, { progress, emitSignal }) => {
        progress("n".repeat(1_000), 7);
        emitSignal("found", { a: 1 });
        return "";
      },
    });
    const { log } = await batch([greet], [call("c1")]);
    expect(log).toContain(`progress c1 ${"n".repeat(500)} 1`);
    expect(log).toContain('signal found {"a":1}');
  });
});

describe("order", () => {
  const spies = (log: string[], parts: Partial<Greet>, name: string): Tool =>
    tool({
      ...parts,
      name,
      execute: async (args) => {
        log.push(`${args.name}+`);
        await systemClock.sleep(args.name === "slow" ? 20 : 4);
        log.push(`${args.name}-`);
        return "";
      },
    });
  const named = (id: string, toolName: string, name = id) => call(id, { toolName, arguments: { name } });

  it("runs read-only tools side by side and others alone, in the order of the calls", async () => {
    const log: string[] = [];
    const tools = [spies(log, { annotations: { readOnly: true } }, "read"), spies(log, {}, "write")];
    const calls = [
      named("r1", "read"),
      named("r2", "read"),
      named("w1", "write"),
      named("w2", "write"),
      named("r3", "read"),
    ];
    await batch(tools, calls);
    expect(log.join(" ")).toBe("r1+ r2+ r1- r2- w1+ w1- w2+ w2- r3+ r3-");
  });

  it("runs one at a time per key, also across tools, and different keys side by side", async () => {
    const log: string[] = [];
    const concurrency = { key: ({ name }: { readonly name: string }) => name.slice(0, 1) };
    const tools = [spies(log, { concurrency }, "one"), spies(log, { concurrency }, "two")];
    await batch(tools, [named("a1", "one"), named("b1", "one"), named("a2", "two")]);
    expect(log.slice(0, 3)).toEqual(["a1+", "b1+", "a1-"]);
    expect(log.indexOf("a2+")).toBeGreaterThan(log.indexOf("a1-"));
  });

  it("runs a call alone whose key cannot be told", async () => {
    const log: string[] = [];
    const key = () => {
      throw new Error("no key");
    };
    const tools = [spies(log, { concurrency: "parallel" }, "read"), spies(log, { concurrency: { key } }, "odd")];
    await batch(tools, [named("r1", "read"), named("o1", "odd"), named("r2", "read")]);
    expect(log.join(" ")).toBe("r1+ r1- o1+ o1- r2+ r2-");
  });

  it("delivers each result as it ends", async () => {
    const tools = [spies([], { concurrency: "parallel" }, "read")];
    const { results } = await batch(tools, [named("c1", "read", "slow"), named("c2", "read", "quick")]);
    expect(results.map(({ result }) => result.callId)).toEqual(["c2", "c1"]);
  });

  it("answers every call when it is cancelled in the middle, also those that did not begin", async () => {
    const controller = new AbortController();
    const stuck = tool({
      execute: () => {
        setImmediate(() => controller.abort());
        return new Promise(() => undefined);
      },
    });
    const { results } = await batch([stuck], [call("c1"), call("c2")], { run: { signal: controller.signal } });
    expect(results.map(({ result }) => `${result.callId} ${result.outcome}`)).toEqual(["c1 cancelled", "c2 cancelled"]);
  });

  it("stops the other calls and rejects when a result cannot be written", async () => {
    let stopped = false;
    const quick = tool({ name: "quick", concurrency: "parallel" });
    const slow = tool({
      name: "slow",
      concurrency: "parallel",
      execute: (_, { signal }) =>
        new Promise((_done, fail) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            fail(new Error("stopped"));
          });
        }),
    });
    const hooks = {
      onResult: async ({ result }: ExecutedCall) => {
        if (result.toolName === "quick") throw new Error("disk full");
      },
    };
    const calls = [call("c1", { toolName: "slow" }), call("c2", { toolName: "quick" })];
    await expect(batch([quick, slow], calls, { hooks })).rejects.toThrow("disk full");
    expect(stopped).toBe(true);
  });
});

describe("approvals", () => {
  const large = { name: "a".repeat(2_000), picture: "data:image/png;base64,AAAABBBBCCCC" };

  it("complaint 5: runs what is allowed and lets the rest wait, with what a person needs to decide", async () => {
    const tools = [tool({ name: "open", approval: "always" }), tool({ name: "look" })];
    const calls = [call("c1", { toolName: "open", arguments: large }), call("c2", { toolName: "look" })];
    const { end, results, log, intents } = await batch(tools, calls);
    expect(log.slice(0, 2)).toEqual(["ask c1", "allow c2"]);
    expect(results.map(({ result }) => result.callId)).toEqual(["c2"]);
    expect(intents.map(({ callId }) => callId)).toEqual(["c2"]);
    const [pending] = end.pending;
    expect(pending).toMatchObject({ call: calls[0], request: { kind: "approval" } });
    expect(pending?.argsSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(pending?.preview.length).toBeLessThan(700);
    expect(pending?.preview).not.toContain("BBBB");
  });

  it("complaint 5: runs an approved call once and asks no more", async () => {
    const { end, results } = await batch([tool({ approval: "always" })], [call("c1")], { approved: new Set(["c1"]) });
    expect(end.pending).toEqual([]);
    expect(results[0]?.result.outcome).toBe("ok");
  });

  it("lets a policy decide by the arguments", async () => {
    const policy = tool({
      approval: ({ name }) => {
        if (name === "friend") return { decision: "allow" };
        if (name === "foe") return { decision: "deny", message: "Not for foes." };
        return { decision: "ask", prompt: `Greet ${name}?`, expiresInMs: 1_000 };
      },
    });
    const calls = ["friend", "foe", "stranger"].map((name) => call(name, { arguments: { name } }));
    const { end, results, log } = await batch([policy], calls);
    expect(log.slice(0, 4)).toEqual(["allow friend", "deny foe", "result foe denied", "ask stranger"]);
    expect(results.find(({ result }) => result.callId === "foe")?.result.content).toEqual([
      { type: "text", text: "Not for foes." },
    ]);
    expect(end.pending.map(({ request }) => request)).toEqual([
      { kind: "approval", prompt: "Greet stranger?", expiresInMs: 1_000 },
    ]);
  });

  it("complaint 5: asks the policy again for approved arguments, and a denial stands", async () => {
    const policy = tool({ approval: () => ({ decision: "deny", message: "no" }) });
    const { results } = await batch([policy], [call("c1")], { approved: new Set(["c1"]) });
    expect(results[0]?.result.outcome).toBe("denied");
  });

  it("denies when the policy fails or does not answer in time", async () => {
    const throws = tool({ approval: () => Promise.reject(new Error("no policy")) });
    const hangs = tool({ timeoutMs: 10, approval: () => new Promise(() => undefined) });
    expect((await execute([throws])).result).toMatchObject({ outcome: "denied" });
    expect((await execute([hangs])).result).toMatchObject({ outcome: "denied" });
  });

  it("denies tools that the run may not use, and does not name them", async () => {
    const tools = [tool({ name: "open" }), tool({ name: "look" })];
    const calls = [call("c1", { toolName: "open" }), call("c2", { toolName: "opne" })];
    const { results } = await batch(tools, calls, { run: { allowed: (name) => name === "look" } });
    expect(results.map(({ result }) => result.outcome)).toEqual(["denied", "unknown_tool"]);
    expect(textOf((results[1] as ExecutedCall).result)).toContain("The nearest are: look.");
  });

  it("VA-24 ask_user waits for a person while the others go on", async () => {
    const tools = [createAskUserTool({ expiresInMs: 9 }), tool({})];
    const question = { question: "Which door?", choices: ["red", "blue"] };
    const calls = [call("c1", { toolName: "ask_user", arguments: question }), call("c2")];
    const { end, results } = await batch(tools, calls);
    expect(end.pending).toMatchObject([
      { request: { kind: "ask_user", prompt: "Which door?", choices: ["red", "blue"], expiresInMs: 9 } },
    ]);
    expect(results.map(({ result }) => result.callId)).toEqual(["c2"]);
  });

  it("waits although the tool swallows the pause", async () => {
    const swallows = tool({
      execute: async (_, context) => {
        try {
          context.pause({ kind: "external_event", prompt: "parcel" });
        } catch {
          return "never mind";
        }
        return "";
      },
    });
    const { end, results } = await batch([swallows], [call("c1")]);
    expect([end.pending[0]?.request.prompt, results.length]).toEqual(["parcel", 0]);
  });

  it("tells that a tool ended the run", async () => {
    const last = tool({ execute: async () => ({ content: [], terminate: true }) });
    expect((await batch([last], [call("c1")])).end.terminate).toBe(true);
  });
});

describe("settleInterrupted", () => {
  it.each([
    ["a read-only tool", { annotations: { readOnly: true } }],
    ["an idempotent tool", { annotations: { idempotent: true } }],
    ["a tool that says so", { replay: "idempotent" as const }],
  ])("runs %s again under the key of the first attempt", async (_, parts) => {
    const greet = tool({ ...parts, execute: async (_args, context) => context.idempotencyKey });
    const { settled, intents } = await settle([greet]);
    expect(settled).toMatchObject({ action: "replayed", executed: { result: { outcome: "ok" } } });
    expect(textOf(settled.executed.result)).toBe("key_1");
    expect(intents).toMatchObject([{ attempt: 2, idempotencyKey: "key_1" }]);
  });

  it("never repeats another tool, and says that the outcome is unknown", async () => {
    const { settled, intents } = await settle([tool({ execute: () => Promise.reject(new Error("ran")) })]);
    expect(settled).toMatchObject({ action: "marked_unknown", executed: { result: { outcome: "interrupted" } } });
    expect(intents).toEqual([]);
  });

  it("asks the tool what became of it", async () => {
    const reconcile: Greet["reconcile"] = async ({ idempotencyKey }) => `done under ${idempotencyKey}`;
    const { settled } = await settle([tool({ reconcile, project: () => [{ op: "remove", path: "/x" }] })]);
    expect(settled.action).toBe("reconciled");
    expect(textOf(settled.executed.result)).toBe("done under key_1");
    expect(settled.executed.env).toHaveLength(1);
  });

  it.each([
    ["does not know", async () => "unknown"],
    ["fails", () => Promise.reject(new Error("offline"))],
    ["returns what nobody can read", async () => () => 1],
  ])("marks it unknown when the tool %s", async (_, reconcile) => {
    expect((await settle([tool({ reconcile })])).settled.action).toBe("marked_unknown");
  });

  it("marks it unknown when the tool is gone or takes other arguments now", async () => {
    const changed = tool({ replay: "safe", parameters: { type: "object", required: ["other"] } });
    expect((await settle([])).settled.action).toBe("marked_unknown");
    expect((await settle([changed])).settled.action).toBe("marked_unknown");
  });

  it("VA-24 says that a question was never asked", async () => {
    const intent = { toolName: "ask_user", arguments: { question: "Which door?" } };
    const { settled } = await settle([createAskUserTool()], intent);
    expect(textOf(settled.executed.result)).toContain("before anybody was asked");
  });
});

type Greet = Tool<{ readonly name: string }>;

function tool(parts: Partial<Greet>): Tool {
  const parameters = { type: "object", properties: { name: { type: "string" } } };
  return { name: "greet", description: "Greets.", parameters, execute: async () => "hello", ...parts } as Tool;
}

const GREET = { name: "greet", description: "Greets.", parameters: { type: "object" } } as const;

function call(id: string, parts: Partial<ToolCall> = {}): ToolCall {
  return { id, toolName: "greet", arguments: {}, state: "complete", ...parts };
}

function run(parts: Partial<ToolRun> = {}): ToolRun {
  const { signal } = new AbortController();
  return { signal, runId: "r1", sessionId: "s1", principal: { userId: "ada" }, env: environment(), ...parts };
}

function environment(): EnvironmentState {
  return {
    system: { workingDirectory: "", permissions: [], resources: {} },
    task: { objective: "tea", status: "in_progress", stepsCompleted: 0, stepsTotal: 0 },
    knowledge: { discoveredFacts: [], sources: {}, keyConcepts: [] },
    workspace: { files: {}, artifacts: [] },
    extensions: {},
  };
}

function executorOf(tools: readonly Tool[], artifacts: ArtifactStore = createMemoryArtifactStore()): ToolExecutor {
  return createToolExecutor({ registry: createToolRegistry(tools), artifacts, clock: systemClock, graceMs: 20 });
}

function execute(
  tools: readonly Tool[],
  args: ToolCall["arguments"] = {},
  parts: Partial<ToolCall> = {},
): Promise<ExecutedCall> {
  return executorOf(tools).executeTool(call("c1", { arguments: args, ...parts }), run());
}

interface BatchParts {
  readonly run?: Partial<ToolRun>;
  readonly hooks?: Partial<BatchHooks>;
  readonly approved?: ReadonlySet<string>;
  readonly artifacts?: ArtifactStore;
}

/** Runs the calls and writes down all that the hooks hear. */
async function batch(tools: readonly Tool[], calls: readonly ToolCall[], parts: BatchParts = {}) {
  const { hooks, log, results, intents } = recorder();
  const executor = executorOf(tools, parts.artifacts);
  const end = await executor.executeBatch(calls, run(parts.run), { ...hooks, ...parts.hooks }, parts.approved);
  return { end, log, results, intents };
}

async function settle(tools: readonly Tool[], parts: Partial<ToolIntentRecord> = {}) {
  const { hooks, intents } = recorder();
  const intent = { callId: "c1", toolName: "greet", arguments: {}, idempotencyKey: "key_1", attempt: 1, ...parts };
  const interrupted = call("c1", { toolName: intent.toolName, arguments: intent.arguments });
  return { settled: await executorOf(tools).settleInterrupted(intent, interrupted, run(), hooks), intents };
}

function recorder() {
  const log: string[] = [];
  const results: ExecutedCall[] = [];
  const intents: ToolIntentRecord[] = [];
  const hooks: BatchHooks = {
    onDecision: ({ id }, decision) => log.push(`${decision} ${id}`),
    onIntent: async (intent) => void intents.push(intent),
    onResult: async (executed) => {
      results.push(executed);
      log.push(`result ${executed.result.callId} ${executed.result.outcome}`);
    },
    onProgress: (callId, note, fraction) => log.push(`progress ${callId} ${note} ${fraction}`),
    onSignal: (name, data) => log.push(`signal ${name} ${JSON.stringify(data)}`),
    onArtifact: ({ id }, reason) => log.push(`artifact ${reason} ${id}`),
  };
  return { hooks, log, results, intents };
}

function textOf(result: ExecutedCall["result"]): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function tokensOf(...secrets: readonly string[]): Promise<SecretTokens> {
  const tokens = createSecretTokens({ secrets, key: async () => Buffer.alloc(32, 1) });
  await tokens.open();
  return tokens;
}
