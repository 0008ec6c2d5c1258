import { describe, expect, it } from "vitest";
import { clientOf, startLoopback } from "../testing/loopback.ts";
import { base64Of, jpegOf, pngOf } from "../wire/__fixtures__/pictures.ts";

const image = jpegOf(64, 48);
const box = { x: 16, y: 8, width: 8, height: 6, confidence: 0.7, class: "cat", class_id: 0 };
const found = { image: { width: 64, height: 48 }, predictions: [box], time: 0.1 };
const outline = [
  [1, 2],
  [3, 4],
];

/** One call against a server that gives this answer: what it made of it, and what it had sent. */
async function ask<Result>(
  answer: unknown,
  call: (calls: ReturnType<typeof clientOf>["foundation"]) => Promise<Result>,
): Promise<{ result: Result; path: string; body: Record<string, unknown> }> {
  const server = await startLoopback({ json: answer });
  const result = await call(clientOf(server.url).foundation);
  const { path, body } = server.received[0]!;
  return { result, path, body: JSON.parse(body) };
}

describe("embeddings", () => {
  it("S000-2.2.7 come for pictures and texts, from CLIP and the perception encoder", async () => {
    const answer = { embeddings: [[0.1, 0.2]], time: 0.5, inference_id: null, frame_id: null };
    const clip = await ask(answer, ({ clip }) => clip.embedImages({ images: [image], version: "ViT-B-32" }));
    expect(clip).toMatchObject({
      path: "/clip/embed_image",
      body: { image: [{ type: "base64" }], clip_version_id: "ViT-B-32" },
      result: { vectors: [[0.1, 0.2]], timeS: 0.5 },
    });
    const encoder = await ask(answer, ({ perceptionEncoder }) => perceptionEncoder.embedTexts({ texts: ["a", "b"] }));
    expect(encoder).toMatchObject({ path: "/perception_encoder/embed_text", body: { text: ["a", "b"] } });
  });

  it("are compared, pictures with texts and texts with pictures", async () => {
    const call = await ask({ similarity: [0.2, 0.1], time: 1 }, ({ clip }) =>
      clip.compare({ subject: image, prompts: ["cat", "dog"] }),
    );
    expect(call).toMatchObject({
      path: "/clip/compare",
      body: { subject_type: "image", prompt_type: "text", prompt: ["cat", "dog"], subject: { type: "base64" } },
      result: [0.2, 0.1],
    });
    const mixed = ask({}, ({ clip }) => clip.compare({ subject: "cat", prompts: [image, "dog"] }));
    await expect(mixed).rejects.toMatchObject({ kind: "invalid" });
  });

  it("of a classifier say in which space they lie", async () => {
    const answer = { embeddings: [[1]], embedding_info: { space_id: "s1", dimension: 1 } };
    const call = await ask(answer, (calls) => calls.embed({ modelId: "resnet50", image, output: "logits" }));
    expect(call).toMatchObject({
      body: { model_id: "classifiers/3", output_type: "logits" },
      result: { spaceId: "s1" },
    });
  });
});

describe("readText", () => {
  it.each([
    ["doctr", "/doctr/ocr", { generate_bounding_boxes: true, doctr_version_id: "v" }],
    ["easy_ocr", "/easy_ocr/ocr", { language_codes: ["en"], easy_ocr_version_id: "v" }],
    ["trocr", "/ocr/trocr", { trocr_version_id: "v" }],
    ["pp_ocr", "/ocr/pp-ocr", { pp_ocr_version_id: "v" }],
  ] as const)("S000-2.2.7 asks %s on %s", async (reader, path, body) => {
    const call = await ask(
      { result: "EXIT", time: 0.2, parent_id: null, predictions: [{ ...box, class: "EXIT" }] },
      (calls) => calls.readText({ reader, image, version: "v", languages: ["en"], withBoxes: true }),
    );
    expect(call).toMatchObject({ path, body, result: { text: "EXIT", pieces: [{ className: "EXIT" }] } });
  });

  it("has no pieces where the reader does not say them", async () => {
    const { result } = await ask({ result: "EXIT" }, (calls) => calls.readText({ reader: "trocr", image }));
    expect(result).toEqual({ text: "EXIT", pieces: [] });
  });
});

describe("outlines", () => {
  const points = [
    { x: 1, y: 2 },
    { x: 3, y: 4 },
  ];

  it("S000-2.2.7 come from points, boxes and concepts", async () => {
    const sam = await ask({ masks: [outline], low_res_masks: [], time: 1 }, (calls) =>
      calls.sam({ image, points: [{ x: 5, y: 6, positive: false }] }),
    );
    expect(sam).toMatchObject({
      body: { point_coords: [[5, 6]], point_labels: [-1] },
      result: [{ polygons: [points] }],
    });
    const answer = { predictions: [{ masks: [outline], confidence: 0.9, format: "polygon" }], time: 1 };
    const prompts = [{ box: { x: 1, y: 2, width: 3, height: 4 } }];
    const sam2 = await ask(answer, (calls) => calls.sam2({ image, prompts, multimask: false, version: "hiera_tiny" }));
    expect(sam2).toMatchObject({
      path: "/sam2/segment_image",
      body: { prompts, multimask_output: false, sam2_version_id: "hiera_tiny" },
      result: [{ confidence: 0.9, polygons: [points] }],
    });
    expect((await ask(answer, (calls) => calls.sam3({ image, prompts }))).path).toBe("/sam3/visual_segment");
  });

  it("of concepts come in the order of the question", async () => {
    const prompt_results = [
      { prompt_index: 1, predictions: [{ masks: [outline], confidence: 0.8, format: "polygon" }] },
    ];
    const { body, result } = await ask({ prompt_results, time: 1 }, (calls) =>
      calls.findConcepts({ image, concepts: ["cat", "dog"], confidence: 0.4 }),
    );
    expect(body).toMatchObject({ prompts: [{ text: "cat" }, { text: "dog" }], output_prob_thresh: 0.4 });
    expect(result).toEqual([
      { concept: "cat", segments: [] },
      { concept: "dog", segments: [{ confidence: 0.8, polygons: [points] }] },
    ]);
  });
});

describe("lmm and depth", () => {
  it("S000-2.2.7 answers a question about a picture, in words or in boxes", async () => {
    const words = await ask({ response: "a cat", image: { width: 64, height: 48 } }, (calls) =>
      calls.lmm({ modelId: "florence-2-base", image, prompt: "<CAPTION>", maxNewTokens: 20 }),
    );
    expect(words).toMatchObject({
      path: "/infer/lmm",
      body: { model_id: "florence-pretrains/3", prompt: "<CAPTION>", max_new_tokens: 20 },
      result: { kind: "text", response: "a cat" },
    });
    const boxes = await ask(found, (calls) => calls.lmm({ modelId: "moondream2", image, prompt: "cat" }));
    expect(boxes.result.kind).toBe("object_detection");
  });

  it("S000-2.2.7 gives depth as a PNG and never as numbers", async () => {
    const { body, result } = await ask(
      { normalized_depth: base64Of(pngOf(64, 48)), depth_map_format: "png8" },
      (calls) => calls.depth({ image, bits: 8 }),
    );
    expect(body).toMatchObject({ model_id: "depth-anything-v2/small", depth_map_format: "png8" });
    expect(result).toEqual({ png: pngOf(64, 48), bits: 8 });
  });
});
