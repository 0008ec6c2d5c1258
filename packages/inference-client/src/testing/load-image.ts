// an image of a request → its size, or the server's refusal
import type { Json } from "@vision-agent/protocol";
import { type FakeAnswer, FakeRefusal, failure } from "./answer.ts";
import { isObject } from "./check-body.ts";
import { type PictureSize, readPictureSize } from "./picture-bytes.ts";

export function badImage(cause: string): FakeAnswer {
  return failure(400, `Could not load input image. Cause: ${cause}`);
}

/** The size of `{type, value}`; throws what `/infer/*` answers for an image it cannot load. */
export function loadImage(image: Json, offline: boolean): PictureSize {
  const { type, value } = isObject(image) ? image : { type: null, value: null };
  if (typeof value !== "string") throw new FakeRefusal(failure(500, "Internal error."));
  if (type === "base64") return decodeImage(value);
  if (type === "url") throw new FakeRefusal(badImage(refuseUrl(value, offline)));
  if (type === "numpy") {
    throw new FakeRefusal(badImage("NumPy image type is not supported in this configuration of `inference`."));
  }
  if (type === "file") throw new FakeRefusal(failure(500, "Internal error."));
  throw new FakeRefusal(badImage("Image declaration contains not recognised image type."));
}

export function decodeImage(base64: string): PictureSize {
  const bytes = Buffer.from(base64.replace(/^data:image\/[a-z]+;base64,/, ""), "base64");
  if (bytes.length < 4) throw new FakeRefusal(badImage("Empty image payload."));
  const size = readPictureSize(bytes);
  if (size === undefined) throw new FakeRefusal(badImage("Malformed base64 input image."));
  return size;
}

function refuseUrl(url: string, offline: boolean): string {
  if (offline) return "Cannot load an image from URL while OFFLINE_MODE is enabled.";
  if (!url.startsWith("https://"))
    return "Providing images via non https:// URL is not supported in this configuration of `inference`.";
  return "Error while loading image from url: the fake server has no internet.";
}
