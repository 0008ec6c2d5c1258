import { describe, expect, it } from "vitest";
import { GIVEN, ofCamera } from "../store/picture-origin.ts";
import { openFakeEgress } from "../testing/fake-egress.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { leavesMachine, toDestination } from "./destination.ts";
import { createEgressLedger } from "./egress-ledger.ts";
import { isRefused } from "./open-egress.ts";

const CLOUD = toDestination("model", "https://api.example.com/v1");
const HERE = toDestination("server", "http://localhost:9001");
const BYTES = Uint8Array.of(1, 2, 3);
const DOOR = { bytes: BYTES, origin: ofCamera("door"), artifact: "art_1" };
const ALL = { limit: 100, offset: 0 };

describe("what leaves the machine", () => {
  it.each(["localhost", "localhost:9001", "127.0.0.1:80", "127.1.2.3", "[::1]:9001"])("%s is this machine", (host) => {
    expect(leavesMachine({ host }, [])).toBe(false);
    expect(leavesMachine({ host }, [host.toUpperCase()])).toBe(true);
  });

  it.each(["api.example.com", "192.168.1.20:9001", "127.0.0.1.example.com", "localhost.example.com", "0.0.0.0", ""])(
    "%s is another machine",
    (host) => expect(leavesMachine({ host }, [])).toBe(true),
  );

  it("no picture leaves while nobody has decided, or where the answer is never", async () => {
    const egress = await openFakeEgress();
    const [asked] = await egress.admit([DOOR], CLOUD, "test");
    expect(asked).toMatchObject({ refused: expect.stringContaining("egress allow door api.example.com") });
    await egress.rules.set([{ camera: "door", destination: "api.example.com" }], "never");
    const [refused] = await egress.admit([DOOR], CLOUD, "test");
    expect(refused).toMatchObject({ refused: "pictures of door are never sent to api.example.com" });
    expect(await egress.ledger.list(ALL)).toEqual([]);
  });

  it("a second name of a camera is no way around what was said about the first", async () => {
    const sameView = (name: string): readonly string[] =>
      ["bedroom", "hall"].includes(name) ? ["bedroom", "hall"] : [];
    const egress = await openFakeEgress({ sameView });
    await egress.rules.set([{ camera: "*", destination: "api.example.com" }], "allow");
    await egress.rules.set([{ camera: "bedroom", destination: "api.example.com" }], "never");
    expect(["bedroom", "hall", "yard"].map((name) => egress.ruleFor(name, CLOUD))).toEqual(["never", "never", "allow"]);
  });

  it("rules go with a camera that gets another name; a yes does not outlive its camera", async () => {
    const { rules } = await openFakeEgress();
    await rules.set([{ camera: "door", destination: "a.example" }], "never");
    await rules.set([{ camera: "door", destination: "b.example" }], "allow");
    await rules.moveCamera("Door", "gate");
    expect(rules.list().map(({ camera, images }) => [camera, images])).toEqual([
      ["gate", "never"],
      ["gate", "allow"],
    ]);
    await rules.moveCamera("gate", undefined);
    expect(rules.list().map(({ images }) => images)).toEqual(["never"]);
  });

  it("a host without a port stands for all of its ports, after what names the port", async () => {
    const { rules } = await openFakeEgress();
    await rules.set([{ camera: "door", destination: "192.168.1.20" }], "never");
    await rules.set([{ camera: "door", destination: "192.168.1.20:9001" }], "allow");
    expect(["192.168.1.20:80", "192.168.1.20:9001", "10.0.0.1:80"].map((host) => rules.find("door", host))).toEqual([
      "never",
      "allow",
      undefined,
    ]);
  });

  it("a yes holds for its camera and destination alone, whatever the case of the letters", async () => {
    const egress = await openFakeEgress();
    await egress.rules.set([{ camera: "Door", destination: "API.example.com" }], "allow");
    expect(egress.ruleFor("door", CLOUD)).toBe("allow");
    expect(egress.ruleFor("yard", CLOUD)).toBe("ask");
    expect(egress.ruleFor("door", toDestination("model", "https://other.example.com"))).toBe("ask");
  });

  it("the rule that names the most wins", async () => {
    const egress = await openFakeEgress();
    await egress.rules.set([{ camera: "*", destination: "api.example.com" }], "allow");
    await egress.rules.set([{ camera: "door", destination: "*" }], "never");
    expect([egress.ruleFor("yard", CLOUD), egress.ruleFor("door", CLOUD)]).toEqual(["allow", "never"]);
    await egress.rules.set([{ camera: "door", destination: "api.example.com" }], "allow");
    expect(egress.ruleFor("door", CLOUD)).toBe("allow");
  });

  it("this machine needs no leave, but a rule about it holds", async () => {
    const egress = await openFakeEgress({ usual: "never" });
    expect(isRefused((await egress.admit([DOOR], HERE, "test"))[0] ?? {})).toBe(false);
    expect(await egress.ledger.list(ALL)).toEqual([]);
    await egress.rules.set([{ camera: "door", destination: HERE.host }], "never");
    expect(isRefused((await egress.admit([DOOR], HERE, "test"))[0] ?? {})).toBe(true);
  });

  it("every picture that leaves is written down first, with its size and hash", async () => {
    const egress = await openFakeEgress({ usual: "allow", now: () => Date.parse("2026-05-20T10:00:00Z") });
    await egress.admit([DOOR, { bytes: BYTES, origin: GIVEN }], CLOUD, "shown to a model");
    await egress.admitStream(ofCamera("yard"), CLOUD, "a pipeline");
    expect(await egress.ledger.list(ALL)).toEqual([
      expect.objectContaining({ camera: "yard", what: "stream", why: "a pipeline" }),
      expect.objectContaining({ camera: null, what: "picture", bytes: 3 }),
      {
        at: "2026-05-20T10:00:00.000Z",
        camera: "door",
        what: "picture",
        artifact: "art_1",
        to: "api.example.com",
        kind: "model",
        why: "shown to a model",
        bytes: 3,
        sha256: "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81",
      },
    ]);
  });

  it("a workflow sends only what is allowed, and it is written down", async () => {
    const egress = await openFakeEgress();
    const picture = {
      camera: "door",
      sink: "webhook",
      destination: "https://hooks.example.com/a",
      bytes: 9,
      sha256: "ab",
    };
    expect(await egress.admitOutgoing(picture)).toBe(false);
    await egress.rules.set([{ camera: "door", destination: "hooks.example.com" }], "allow");
    expect(await egress.admitOutgoing(picture)).toBe(true);
    expect(await egress.admitOutgoing({ ...picture, camera: undefined })).toBe(false);
    expect(await egress.admitOutgoing({ ...picture, destination: "someone@example.com" })).toBe(false);
    expect(await egress.ledger.list(ALL)).toMatchObject([
      { camera: "door", to: "hooks.example.com", kind: "sink", why: "sent by webhook", bytes: 9, sha256: "ab" },
    ]);
  });

  it("what cannot be written down does not leave", async () => {
    const files = createMemoryFiles();
    const problems: string[] = [];
    const egress = await openFakeEgress({ usual: "allow", files, onProblem: (problem) => problems.push(problem) });
    files.fault = { code: "ENOSPC" };
    const answers = [...(await egress.admit([DOOR], CLOUD, "test")), await egress.admitStream(GIVEN, CLOUD, "test")];
    expect(answers.map(isRefused)).toEqual([true, true]);
    expect(problems.join()).toContain("no space");
  });

  it("a picture of unknown origin, and one that shows two cameras of which one is forbidden, stay here", async () => {
    const egress = await openFakeEgress({ usual: "allow" });
    await egress.rules.set([{ camera: "yard", destination: "*" }], "never");
    const both = { bytes: BYTES, origin: { cameras: ["door", "yard"] } };
    const answers = await egress.admit([{ bytes: BYTES, origin: undefined }, both, DOOR], CLOUD, "test");
    expect(answers.map(isRefused)).toEqual([true, true, false]);
  });
});

describe("rules", () => {
  it("survive a restart, also questions under way, and a damaged file asks anew", async () => {
    const files = createMemoryFiles();
    const first = await openFakeEgress({ files });
    const pair = { camera: "door", destination: "api.example.com" };
    await first.rules.set([pair], "allow");
    await first.rules.asked({ call: "s c", pairs: [pair], alone: true });
    const second = await openFakeEgress({ files });
    expect(second.ruleFor("door", CLOUD)).toBe("allow");
    expect(await second.rules.takeQuestion("s c")).toMatchObject({ pairs: [pair] });
    expect(await second.rules.takeQuestion("s c")).toBeUndefined();
    files.contents.set("/w/egress.json", "{");
    const third = await openFakeEgress({ files });
    expect(third.ruleFor("door", CLOUD)).toBe("ask");
    expect(files.contents.get("/w/egress.json.broken")).toBe("{");
  });

  it("that cannot be written do not hold", async () => {
    const files = createMemoryFiles();
    const egress = await openFakeEgress({ files });
    files.fault = { code: "EROFS" };
    await expect(egress.rules.set([{ camera: "door", destination: "*" }], "allow")).rejects.toThrow("read-only");
    expect(egress.ruleFor("door", CLOUD)).toBe("ask");
  });
});

describe("the ledger", () => {
  const line = (at: string, camera: string) =>
    ({ at, camera, what: "picture", to: "x", kind: "model", why: "test", bytes: 1, sha256: "0" }) as const;

  it("keeps a file for each month, gives pages newest first, and goes on after a torn line", async () => {
    const files = createMemoryFiles({
      "/l/2026-04.jsonl": `${JSON.stringify(line("2026-04-30T10:00:00.000Z", "a"))}\n{"at":"2026`,
    });
    const ledger = createEgressLedger({ files, folder: "/l" });
    await ledger.append([line("2026-04-30T11:00:00.000Z", "b")]);
    await ledger.append([line("2026-05-01T11:00:00.000Z", "a"), line("2026-05-01T11:00:01.000Z", "b")]);
    const at = async (filter: object) => (await ledger.list({ ...ALL, ...filter })).map((one) => one.at.slice(5, 19));
    expect(await at({})).toEqual(["05-01T11:00:01", "05-01T11:00:00", "04-30T11:00:00", "04-30T10:00:00"]);
    expect(await at({ limit: 2, offset: 1 })).toEqual(["05-01T11:00:00", "04-30T11:00:00"]);
    expect(await at({ camera: "A", since: "2026-05-01T00:00:00.000Z" })).toEqual(["05-01T11:00:00"]);
    expect(await at({ until: "2026-04-30T11:00:00.000Z" })).toEqual(["04-30T10:00:00"]);
  });
});
