import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArtifactRef, ImagePart, Message } from "../types/message.ts";
import { DEFAULT_VISION_POLICY, selectImages, toVisionContext, type VisionContextPolicy } from "./vision-policy.ts";

describe("selectImages", () => {
  it("VI-17 shows the newest that fit", () => {
    const messages = [byUser("1", "2"), byTool("look", "3"), byUser("4")];
    expect(select(messages, { maxImages: 3 })).toEqual(["4", "3", "2"]);
  });

  it("VI-17 shows pictures of tools that are allowed by name or by tag", () => {
    const messages = [byTool("look", "1"), byTool("draw", "2"), byTool("scan", "3"), byUser("4")];
    expect(select(messages, { allowedSources: ["draw"] })).toEqual(["4", "2"]);
    const tagsOf = (toolName: string): readonly string[] => (toolName === "draw" ? [] : ["sees"]);
    expect(select(messages, { allowedSources: ["sees"], tagsOf })).toEqual(["4", "3", "1"]);
    expect(select(messages, { allowedSources: [] })).toEqual(["4"]);
  });

  it("VI-3 shows what a person attached although tools may show nothing", () => {
    expect(select([byUser("1"), byTool("look", "2")], { enabled: false })).toEqual(["1"]);
  });

  it("VI-17 keeps to the types that are taken, as the store knows them", () => {
    const messages = [byUser("1"), byUser("svg")];
    expect(select(messages, {})).toEqual(["1"]);
    expect(select(messages, { allowMimeTypes: ["image/svg+xml"] })).toEqual(["svg"]);
  });

  it("VI-17 passes over one that is too large for a smaller, older one", () => {
    const messages = [byUser("10"), byUser("500"), byUser("20")];
    expect(select(messages, { maxTotalBytes: 40 })).toEqual(["20", "10"]);
  });

  it("VI-17 keeps the latest of each tool, and all that a person attached", () => {
    const messages = [byTool("look", "1", "2"), byUser("3", "4"), byTool("look", "5"), byTool("draw", "6")];
    expect(select(messages, { keepLatestPerSource: 1 })).toEqual(["6", "5", "4", "3"]);
  });

  it("counts a picture that is met twice once, where it was last", () => {
    const messages = [byUser("1"), byTool("look", "1"), byUser("2")];
    expect(toVisionContext(messages, DEFAULT_VISION_POLICY, refOf)).toEqual([
      { artifactId: "2", messageId: "user 2" },
      { artifactId: "1", messageId: "look 1", toolName: "look" },
    ]);
  });

  it("VI-11 still shows one whose bytes are gone, so that the model is told", () => {
    expect(select([byUser("gone")], { maxTotalBytes: 0 })).toEqual(["gone"]);
  });

  it("VI-18 complaint 6: stays within number and bytes for any conversation", () => {
    const source = fc.constantFrom("user", "look", "draw");
    const picture = fc.tuple(source, fc.array(fc.nat({ max: 300 }).map(String), { maxLength: 4 }));
    const property = fc.property(
      fc.array(picture, { maxLength: 20 }),
      fc.record({ maxImages: fc.nat({ max: 6 }), maxTotalBytes: fc.nat({ max: 800 }) }),
      (said, limits) => {
        const messages = said.map(([who, ids]) => (who === "user" ? byUser(...ids) : byTool(who, ...ids)));
        const shown = select(messages, limits);
        expect(shown.length).toBeLessThanOrEqual(limits.maxImages);
        expect(shown.reduce((sum, id) => sum + (refOf(id)?.bytes ?? 0), 0)).toBeLessThanOrEqual(limits.maxTotalBytes);
        expect(select(messages, limits)).toEqual(shown);
      },
    );
    fc.assert(property, { numRuns: 50 });
  });
});

function select(messages: readonly Message[], changes: Partial<VisionContextPolicy>): readonly string[] {
  return [...selectImages(messages, { ...DEFAULT_VISION_POLICY, ...changes }, refOf)];
}

/** A picture called 10 has ten bytes. */
function refOf(id: string): ArtifactRef | undefined {
  if (id === "gone") return undefined;
  const mimeType = id === "svg" ? "image/svg+xml" : "image/png";
  return { id, mimeType, bytes: Number(id) || 1, sha256: "", namespace: "", createdAt: "" };
}

function image(artifactId: string): ImagePart {
  return { type: "image", artifactId, mimeType: "image/png" };
}

function byUser(...ids: string[]): Message {
  return { id: `user ${ids}`, role: "user", origin: "human", ts: "", parts: ids.map(image) };
}

function byTool(toolName: string, ...ids: string[]): Message {
  const result = { type: "tool_result", callId: "c", toolName, outcome: "ok", content: ids.map(image) } as const;
  return { id: `${toolName} ${ids}`, role: "tool_result", origin: "tool", ts: "", parts: [result] };
}
