import { ClientError, type ServerBlockDescription } from "@vision-agent/inference-client";
import { ENGINE_VERSION, listKnownBlocks } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { startFakeFleet } from "../testing/fake-fleet.ts";
import { createMemoryFiles, type MemoryFiles } from "../testing/memory-files.ts";
import { createBlockCatalog, type DescribingClient } from "./block-catalog.ts";

const CROP: ServerBlockDescription = {
  type: "roboflow_core/dynamic_crop@v1",
  aliases: ["Crop"],
  name: "Dynamic Crop",
  schema: {
    block_type: "transformation",
    short_description: "Cuts things out.",
    properties: { type: {}, name: {}, images: {}, predictions: {}, mask_opacity: {} },
    required: ["type", "name", "images", "predictions"],
  },
  outputs: [{ name: "crops", kinds: ["image"] }],
  engine: ">=1.3.0,<2.0.0",
};

describe("the blocks of a backend", () => {
  it("S000-11.2.2 are on this machine all of the language, with those that run", async () => {
    const { catalog } = create();
    const { source, blocks, asOf } = await catalog.list("direct");
    expect(blocks).toHaveLength(264);
    expect(source).toContain(ENGINE_VERSION);
    expect(asOf).toBeUndefined();
    const runs = (type: string) => blocks.find((block) => block.type === type)?.runs;
    expect(runs("roboflow_core/line_counter@v2")).toBe(true);
    expect(blocks.some((block) => !block.runs)).toBe(true);
  });

  it("S000-11.2.2 are on a server what it says of itself", async () => {
    const { catalog } = create();
    expect(await catalog.list("http")).toEqual({
      backend: "http",
      source: "Inference server 1.8.3",
      asOf: "2026-01-01T00:00:00.000Z",
      blocks: [
        {
          type: "roboflow_core/dynamic_crop@v1",
          aliases: ["Crop"],
          name: "Dynamic Crop",
          family: "transformation",
          description: "Cuts things out.",
          runs: true,
          properties: [
            { name: "images", required: true },
            { name: "predictions", required: true },
            { name: "mask_opacity", required: false },
          ],
          outputs: [{ name: "crops", kinds: ["image"] }],
        },
      ],
    });
  });

  it("are asked for once for each version, across restarts", async () => {
    const first = create();
    await first.catalog.list("http");
    await first.catalog.list("webrtc");
    expect(first.server.asked).toBe(1);
    const again = create({ files: first.files });
    await again.catalog.list("http");
    expect(again.server.asked).toBe(0);
    again.server.version = "1.9.0";
    expect((await again.catalog.list("http")).source).toBe("Inference server 1.9.0");
    expect(again.server.asked).toBe(1);
  });

  it("are asked for once by those who ask at the same time, and leaving early disturbs nobody", async () => {
    const { catalog, server } = create();
    const gate = Promise.withResolvers<void>();
    server.describe = async () => {
      await gate.promise;
      return [CROP];
    };
    const leaving = new AbortController();
    const impatient = catalog.list("http", leaving.signal);
    const patient = catalog.list("http");
    await expect.poll(() => server.asked).toBe(1);
    leaving.abort(new Error("I am gone."));
    await expect(impatient).rejects.toThrow("I am gone.");
    gate.resolve();
    expect((await patient).blocks).toHaveLength(1);
    expect(server.asked).toBe(1);
  });

  it("F-08 a failed discovery is tried again and blocks nobody", async () => {
    const { catalog, server, files } = create();
    server.describe = async () => {
      throw new ClientError({ kind: "timeout", message: "The server took too long." });
    };
    const failing = catalog.list("http");
    expect((await catalog.list("direct")).blocks.length).toBeGreaterThan(0);
    await expect(failing).rejects.toMatchObject({ name: "BackendError", message: "The server took too long." });
    expect(files.contents.size).toBe(0);
    server.describe = async () => [CROP];
    expect((await catalog.list("http")).blocks).toHaveLength(1);
    expect(server.asked).toBe(2);
  });

  it("does not let a discovery that hangs stop the machine's own list", async () => {
    const { catalog, server } = create();
    server.describe = () => new Promise(() => undefined);
    const hanging = catalog.list("http", AbortSignal.timeout(20));
    expect((await catalog.list("direct")).blocks.length).toBeGreaterThan(0);
    await expect(hanging).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("are those of the last time, with a note, while the server does not answer", async () => {
    const { catalog, server, files } = create();
    await catalog.list("http");
    server.failure = new ClientError({ kind: "network", message: "Nobody answers." });
    expect(await catalog.list("http")).toMatchObject({
      blocks: [{ name: "Dynamic Crop" }],
      note: "This is the list of 2026-01-01T00:00:00.000Z. Nobody answers.",
    });
    const later = create({ files });
    later.server.failure = server.failure;
    expect((await later.catalog.list("http")).note).toContain("Nobody answers.");
    for (const path of files.contents.keys()) files.contents.set(path, '{"blocks": [');
    const damaged = create({ files });
    damaged.server.failure = server.failure;
    await expect(damaged.catalog.list("http")).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("are given although the list cannot be kept", async () => {
    const { catalog, files, problems } = create();
    files.fault = { code: "ENOSPC" };
    expect((await catalog.list("http")).blocks).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining("no space left")]);
  });
});

describe("the blocks of a server on the wire", () => {
  it("are read with their families and inputs, and kept on disk", async () => {
    const { server, client, fleet } = await startFakeFleet();
    const files = createMemoryFiles();
    try {
      const { blocks } = await createBlockCatalog({ ...COMMON, fleet, files, onProblem: () => undefined }).list(
        "webrtc",
      );
      expect(blocks.length).toBeGreaterThan(0);
      for (const { type, name } of blocks) expect([type, name].every((text) => text.length > 0)).toBe(true);
      expect([...files.contents.keys()]).toEqual(["/w/cache/blocks-1.8.3.json"]);
    } finally {
      fleet.close();
      client.close();
      await server.close();
    }
  });
});

const COMMON = {
  listKnownBlocks,
  engineVersion: ENGINE_VERSION,
  folder: "/w/cache",
  now: () => Date.UTC(2026, 0, 1),
} as const;

interface FakeDescriber {
  version: string;
  failure: Error | undefined;
  describe: () => Promise<readonly ServerBlockDescription[]>;
  asked: number;
}

function create({ files = createMemoryFiles() }: { readonly files?: MemoryFiles } = {}) {
  const problems: string[] = [];
  const server: FakeDescriber = { version: "1.8.3", failure: undefined, describe: async () => [CROP], asked: 0 };
  const client: DescribingClient = {
    info: async () => ({ name: "Fake", version: server.version }),
    workflows: {
      describeBlocks: () => {
        server.asked += 1;
        return server.describe();
      },
    },
  };
  const catalog = createBlockCatalog({
    ...COMMON,
    fleet: {
      choose: async () => {
        if (server.failure !== undefined) throw server.failure;
        return { client };
      },
    },
    files,
    onProblem: (message) => problems.push(message),
  });
  return { catalog, server, files, problems };
}
