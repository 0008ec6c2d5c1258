import { describe, expect, it } from "vitest";
import type { ArtifactRef } from "../types/message.ts";
import { createArtifactRegistry } from "./artifact-registry.ts";

describe("createArtifactRegistry", () => {
  it("VI-5 VI-19 tells those who listen, and remembers for those who come later", () => {
    const registry = createArtifactRegistry();
    const seen: string[] = [];
    const stop = registry.subscribe(({ ref }) => seen.push(ref.id));
    registry.register(ref("a"), { reason: "upload" });
    registry.register(ref("b"), { reason: "tool", sessionId: "s1", runId: "r1" });
    stop();
    stop();
    registry.register(ref("c"), { reason: "input", sessionId: "s2" });
    expect(seen).toEqual(["a", "b"]);
    expect(registry.list().map(({ ref }) => ref.id)).toEqual(["a", "b", "c"]);
    expect(registry.list({ sessionId: "s1" })).toEqual([
      { ref: ref("b"), meta: { reason: "tool", sessionId: "s1", runId: "r1" } },
    ]);
  });

  it("lists one that comes again once for each session, as the latest", () => {
    const registry = createArtifactRegistry();
    for (const id of ["a", "b", "a"]) registry.register(ref(id), { reason: "input", sessionId: "s1" });
    registry.register(ref("a"), { reason: "input", sessionId: "s2" });
    expect(registry.list({ sessionId: "s1" }).map(({ ref }) => ref.id)).toEqual(["b", "a"]);
    expect(registry.list()).toHaveLength(3);
  });

  it("forgets the oldest beyond its bound", () => {
    const registry = createArtifactRegistry({ keep: 2 });
    for (const id of ["a", "b", "c"]) registry.register(ref(id), { reason: "tool" });
    expect(registry.list().map(({ ref }) => ref.id)).toEqual(["b", "c"]);
  });

  it("tells a listener that subscribed twice twice, until each ends", () => {
    const registry = createArtifactRegistry();
    let heard = 0;
    const listener = (): void => {
      heard += 1;
    };
    const stops = [registry.subscribe(listener), registry.subscribe(listener)];
    registry.register(ref("a"), { reason: "tool" });
    stops[0]?.();
    registry.register(ref("b"), { reason: "tool" });
    expect(heard).toBe(3);
  });
});

function ref(id: string): ArtifactRef {
  return { id, mimeType: "image/png", bytes: 1, sha256: "", namespace: "n", createdAt: "" };
}
