import { QueryClient } from "@tanstack/react-query";
import type { SceneEvent } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { addNewest, applyEvent, eventsKey, pipelinesKey } from "./queries.ts";

describe("applyEvent", () => {
  it("puts a scene event before the others, once", () => {
    const cache = new QueryClient();
    cache.setQueryData(eventsKey, [event("a")]);
    applyEvent(cache, { type: "scene_event", event: event("b") });
    applyEvent(cache, { type: "scene_event", event: event("b") });
    expect(cache.getQueryData<SceneEvent[]>(eventsKey)?.map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("replaces the pipelines", () => {
    const cache = new QueryClient();
    applyEvent(cache, { type: "pipelines", pipelines: [] });
    expect(cache.getQueryData(pipelinesKey)).toEqual([]);
  });
});

describe("addNewest", () => {
  it("keeps no more than a page can use", () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ id: String(index) }));
    const list = addNewest(many, { id: "new" });
    expect(list).toHaveLength(1000);
    expect(list[0]?.id).toBe("new");
  });
});

function event(id: string): SceneEvent {
  const timestamp = "2026-01-01T00:00:00.000Z";
  return { id, kind: "appeared", timestamp, camera: "street", pipeline_id: "p1", frame_number: 1, text: id };
}
