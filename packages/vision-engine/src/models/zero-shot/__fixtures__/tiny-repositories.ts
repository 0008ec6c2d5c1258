import { writeOnnx } from "../../onnx/onnx-file.ts";
import type { OnnxAttribute, OnnxTensor, OnnxValue } from "../../onnx/onnx-graph.ts";
import type { RepositoryFiles } from "./tiny-hub.ts";

/** Side of the pictures that the models take. */
const SIDE = 8;

const WORDS = [
  ...["<pad>", "<s>", "</s>", "<unk>"],
  ...["a", "red", "green", "blue", "car", "outside", "what", "describe"],
] as const;

type Word = (typeof WORDS)[number];

const END = WORDS.indexOf("</s>");

/** What each colour is in a picture; padding has one too, so that a model shows when it is not masked. */
const COLORS: Readonly<Partial<Record<Word, readonly number[]>>> = {
  red: [1, 0, 0],
  green: [0, 1, 0],
  blue: [0, 0, 1],
  "<pad>": [7, 7, 7],
};

const WORD_COLORS = WORDS.flatMap((word) => COLORS[word] ?? [0, 0, 0]);

/** Pictures: their mean colour in four numbers. Texts: the colours that they name. */
export function tinyClip(): RepositoryFiles {
  const toVector = floats("to_vector", [3, 4], [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2]);
  return {
    ...tokenizerFiles("CLIPTokenizer"),
    "config.json": { model_type: "clip", architectures: ["CLIPModel"] },
    "preprocessor_config.json": { ...pictureConfig(), image_processor_type: "CLIPImageProcessor" },
    "onnx/vision_model.onnx": graphOf({
      inputs: [PIXELS],
      outputs: [value("image_embeds", ["batch", 4])],
      constants: [toVector],
      nodes: [...meanColor("mean"), ["MatMul", ["mean", "to_vector"], "image_embeds"]],
    }),
    "onnx/text_model.onnx": graphOf({
      inputs: TOKENS,
      outputs: [value("text_embeds", ["batch", 4])],
      constants: [toVector, ...WORD_CONSTANTS],
      nodes: [...sumOfWords("color"), ["MatMul", ["color", "to_vector"], "text_embeds"]],
    }),
  };
}

/** Looks at the four quarters of a picture: one that has the colour of a text is found. */
export function tinyOwl(): RepositoryFiles {
  const quarters = [0.25, 0.75].flatMap((y) => [0.25, 0.75].map((x) => [x, y, 0.5, 0.5]));
  return {
    ...tokenizerFiles("CLIPTokenizer"),
    "config.json": { model_type: "owlv2", architectures: ["Owlv2ForObjectDetection"] },
    "preprocessor_config.json": { ...pictureConfig(), do_pad: true, image_processor_type: "Owlv2ImageProcessor" },
    "onnx/model.onnx": graphOf({
      inputs: [...TOKENS, PIXELS],
      outputs: [value("logits", [1, 4, "texts"]), value("pred_boxes", [1, 4, 4])],
      constants: [
        ...WORD_CONSTANTS,
        integers("rows", [1, 3, 4]),
        floats("steepness", [1], [20]),
        floats("threshold", [1], [16]),
        floats("quarters", [1, 4, 4], quarters.flat()),
      ],
      nodes: [
        [
          "AveragePool",
          ["pixel_values"],
          "pooled",
          { kernel_shape: [SIDE / 2, SIDE / 2], strides: [SIDE / 2, SIDE / 2] },
        ],
        ["Reshape", ["pooled", "rows"], "channels"],
        ["Transpose", ["channels"], "colors", { perm: [0, 2, 1] }],
        ...sumOfWords("texts"),
        ["Transpose", ["texts"], "columns", { perm: [1, 0] }],
        ["MatMul", ["colors", "columns"], "likeness"],
        ["Mul", ["likeness", "steepness"], "steep"],
        ["Sub", ["steep", "threshold"], "logits"],
        ["Identity", ["quarters"], "pred_boxes"],
      ],
    }),
  };
}

/** Says "a COLOUR car" in the mean colour of the picture, and "outside" when it is asked to describe more. */
export function tinyFlorence(): RepositoryFiles {
  return {
    ...tokenizerFiles("BartTokenizer"),
    "config.json": {
      model_type: "florence2",
      architectures: ["Florence2ForConditionalGeneration"],
      is_encoder_decoder: true,
      text_config: { model_type: "florence2_language", decoder_layers: 0, encoder_layers: 0 },
    },
    "generation_config.json": { decoder_start_token_id: END, eos_token_id: END, pad_token_id: 0, bos_token_id: 1 },
    "preprocessor_config.json": {
      ...pictureConfig(),
      image_processor_type: "CLIPImageProcessor",
      processor_class: "Florence2Processor",
      task_prompts_without_inputs: { "<CAPTION>": "what", "<DETAILED_CAPTION>": "describe" },
    },
    "onnx/embed_tokens.onnx": graphOf({
      inputs: [TOKENS[0]!],
      outputs: [EMBEDDINGS],
      constants: [wordPairs("words", ...WORDS.map((word) => [word, word, 1] as const))],
      nodes: [["Gather", ["words", "input_ids"], "inputs_embeds"]],
    }),
    "onnx/vision_encoder.onnx": graphOf({
      inputs: [PIXELS],
      outputs: [value("image_features", ["batch", 1, WORDS.length])],
      constants: [
        floats(
          "names",
          [3, WORDS.length],
          ["red", "green", "blue"].flatMap((color) => WORDS.map((word) => +(word === color))),
        ),
        integers("second", [1]),
      ],
      nodes: [
        ...meanColor("mean"),
        ["MatMul", ["mean", "names"], "named"],
        ["Unsqueeze", ["named", "second"], "image_features"],
      ],
    }),
    "onnx/encoder_model.onnx": graphOf({
      inputs: [EMBEDDINGS, TOKENS[1]!],
      outputs: [value("last_hidden_state", ["batch", "length", WORDS.length])],
      constants: [integers("last", [2])],
      nodes: [...mask("wanted"), ["Mul", ["inputs_embeds", "wanted"], "last_hidden_state"]],
    }),
    "onnx/decoder_model_merged.onnx": tinyDecoder(),
  };
}

/** The next word from the last one; after "a" from the picture, after "car" from what was asked. */
function tinyDecoder(): Uint8Array {
  const isWord = (name: string, wanted: Word): OnnxTensor =>
    floats(
      name,
      [WORDS.length, 1],
      WORDS.map((word) => +(word === wanted)),
    );
  return graphOf({
    inputs: [EMBEDDINGS, value("encoder_hidden_states", ["batch", "encoded", WORDS.length])],
    outputs: [value("logits", ["batch", "length", WORDS.length])],
    constants: [
      wordPairs(
        "following",
        ["</s>", "a", 1],
        ["red", "car", 1],
        ["blue", "car", 1],
        ["car", "</s>", 0.5],
        ["outside", "</s>", 1],
      ),
      wordPairs("color", ["red", "red", 1], ["blue", "blue", 1]),
      wordPairs("more", ["describe", "outside", 1]),
      isWord("is_a", "a"),
      isWord("is_car", "car"),
      integers("length_axis", [1]),
    ],
    nodes: [
      ["ReduceSum", ["encoder_hidden_states", "length_axis"], "known", { keepdims: 1 }],
      ["MatMul", ["inputs_embeds", "following"], "plain"],
      ["MatMul", ["inputs_embeds", "is_a"], "after_a"],
      ["MatMul", ["known", "color"], "colored"],
      ["Mul", ["after_a", "colored"], "its_color"],
      ["MatMul", ["inputs_embeds", "is_car"], "after_car"],
      ["MatMul", ["known", "more"], "asked"],
      ["Mul", ["after_car", "asked"], "its_place"],
      ["Add", ["plain", "its_color"], "sum"],
      ["Add", ["sum", "its_place"], "logits"],
    ],
  });
}

function tokenizerFiles(tokenizerClass: string): RepositoryFiles {
  const special = WORDS.slice(0, 4).map((content, id) => ({
    ...{ id, content, special: true },
    ...{ lstrip: false, rstrip: false, single_word: false, normalized: false },
  }));
  const vocab = Object.fromEntries(WORDS.map((word, id) => [word, id]));
  return {
    "tokenizer.json": {
      version: "1.0",
      added_tokens: special,
      normalizer: { type: "Lowercase" },
      pre_tokenizer: { type: "Whitespace" },
      post_processor: null,
      decoder: { type: "WordPiece", prefix: "##", cleanup: false },
      model: { type: "WordPiece", unk_token: "<unk>", continuing_subword_prefix: "##", vocab },
    },
    "tokenizer_config.json": {
      ...{ tokenizer_class: tokenizerClass, model_max_length: 16 },
      ...{ pad_token: "<pad>", unk_token: "<unk>", bos_token: "<s>", eos_token: "</s>" },
    },
  };
}

function pictureConfig(): object {
  return {
    ...{ do_resize: true, size: { width: SIDE, height: SIDE }, resample: 0 },
    ...{ do_rescale: true, rescale_factor: 1 / 255, do_normalize: true, image_mean: [0, 0, 0], image_std: [1, 1, 1] },
  };
}

type Node = readonly [
  op: string,
  inputs: readonly string[],
  output: string,
  attributes?: Readonly<Record<string, OnnxAttribute>>,
];

interface TinyGraph {
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly constants: readonly OnnxTensor[];
  readonly nodes: readonly Node[];
}

function graphOf({ inputs, outputs, constants, nodes }: TinyGraph): Uint8Array {
  return writeOnnx({
    name: "tiny",
    ...{ inputs, outputs, tensors: constants },
    nodes: nodes.map(([op, from, to, attributes = {}]) => ({ op, inputs: from, outputs: [to], attributes })),
  });
}

const PIXELS = value("pixel_values", ["batch", 3, SIDE, SIDE]);

const EMBEDDINGS = value("inputs_embeds", ["batch", "length", WORDS.length]);

const TOKENS: readonly OnnxValue[] = ["input_ids", "attention_mask"].map((name) => ({
  ...{ name, type: "int64", dims: ["batch", "length"] },
}));

const WORD_CONSTANTS: readonly OnnxTensor[] = [
  floats("words", [WORDS.length, 3], WORD_COLORS),
  integers("last", [2]),
  integers("length_axis", [1]),
];

function meanColor(output: string): readonly Node[] {
  return [
    ["GlobalAveragePool", ["pixel_values"], "mean_pixel"],
    ["Flatten", ["mean_pixel"], output],
  ];
}

function mask(output: string): readonly Node[] {
  return [
    ["Cast", ["attention_mask"], "mask_numbers", { to: 1 }],
    ["Unsqueeze", ["mask_numbers", "last"], output],
  ];
}

function sumOfWords(output: string): readonly Node[] {
  return [
    ["Gather", ["words", "input_ids"], "looked_up"],
    ...mask("wanted"),
    ["Mul", ["looked_up", "wanted"], "kept"],
    ["ReduceSum", ["kept", "length_axis"], output, { keepdims: 0 }],
  ];
}

/** A table from words to words. */
function wordPairs(name: string, ...pairs: readonly (readonly [from: Word, to: Word, weight: number])[]): OnnxTensor {
  const table = WORDS.flatMap((from) =>
    WORDS.map((to) => pairs.find((pair) => pair[0] === from && pair[1] === to)?.[2] ?? 0),
  );
  return floats(name, [WORDS.length, WORDS.length], table);
}

function value(name: string, dims: OnnxValue["dims"]): OnnxValue {
  return { name, type: "float32", dims };
}

function floats(name: string, dims: readonly number[], numbers: readonly number[]): OnnxTensor {
  return { name, type: "float32", dims, bytes: new Uint8Array(Float32Array.from(numbers).buffer) };
}

function integers(name: string, numbers: readonly number[]): OnnxTensor {
  const bytes = new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer);
  return { name, type: "int64", dims: [numbers.length], bytes };
}
