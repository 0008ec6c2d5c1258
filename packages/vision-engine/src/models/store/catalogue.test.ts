import { MODEL_ALIASES } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "./catalogue.data.ts";
import { catalogueEntry, isCocoDetector, toModelId } from "./catalogue.ts";

describe("the catalogue", () => {
  it("has each name once", () => {
    const names = [...CATALOGUE.flatMap(({ id, aliases }) => [id, ...aliases]), ...MODEL_ALIASES.keys()];
    expect(names.length).toBe(new Set(names).size);
  });

  it("says of every package where it comes from, how large it is and under which licence", () => {
    for (const { bytes, licence, origin, source } of CATALOGUE.flatMap(({ packages }) => packages)) {
      expect(licence).not.toBe("");
      expect(origin).not.toBe("");
      expect(Math.min(bytes, source.bytes)).toBeGreaterThan(1_000_000);
      expect(source.kind === "npm" ? source.sha512 : source.sha256).toMatch(/^([\w+/]{86}==|[0-9a-f]{64})$/);
    }
  });

  it("knows Roboflow's names", () => {
    const names = {
      "yolov8n-640": "coco/3",
      "yolov8x-1280": "coco/13",
      "yolo11s-640": "coco/26",
      "rfdetr-2xlarge": "coco/48",
    };
    for (const [alias, id] of Object.entries(names)) expect(toModelId(alias)).toBe(id);
    expect(toModelId("yolov8n-seg-640")).toBe("coco-dataset-vdnr1/2");
    expect(toModelId("acme/5")).toBe("acme/5");
    expect(isCocoDetector("coco/9")).toBe(true);
    expect(isCocoDetector("coco-dataset-vdnr1/2")).toBe(false);
    expect(catalogueEntry("default")?.id).toBe("vision-agent/default");
  });
});
