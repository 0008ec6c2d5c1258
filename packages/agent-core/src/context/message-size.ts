// a message → tokens, bytes and pictures
import type { ModelProfile } from "../llm/llm-client.ts";
import type { ArtifactRef, ImagePart, Message, Part } from "../types/message.ts";
import type { TokenCounter } from "./token-counter.ts";

/** What something takes of the three budgets. Tokens of text are before the counter's factor. */
export interface RawSize {
  readonly text: number;
  /** Text tokens of state notes. */
  readonly state: number;
  readonly imageTokens: number;
  readonly bytes: number;
  readonly images: number;
  /** The same where the model cannot see them. */
  readonly imageParts: number;
}

export const NO_SIZE: RawSize = { text: 0, state: 0, imageTokens: 0, bytes: 0, images: 0, imageParts: 0 };

export interface SizeOptions {
  readonly counter: TokenCounter;
  readonly profile: ModelProfile;
  refOf(id: string): ArtifactRef | undefined;
}

/** What does not depend on the model and on what is known of the pictures. */
type Words = Pick<RawSize, "text" | "state" | "bytes"> & { readonly images: readonly ImagePart[] };

/** Marks around a part on the wire. */
const PART_TOKENS = 4;
const PART_BYTES = 80;
/** Quotes and line breaks grow when they are written as JSON. */
const ESCAPE_GROWTH = 1.1;
/** Bytes of a picture that nobody knows. */
const UNKNOWN_IMAGE_BYTES = 1_000_000;
/** Tokens of the words that stand for a picture where the model cannot see. */
const PLACEHOLDER_TOKENS = 30;

/** Side of the square that costs one token. */
const PATCH = 28;
/** The most that models of high resolution charge for one picture. */
const MOST_TOKENS = 4_096;

/** What was counted, by the place in the list: messages do not change, and in a long list few are new. */
export class CountedMessages {
  readonly #counter: TokenCounter;
  readonly #messages: Message[] = [];
  readonly #words: Words[] = [];

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  wordsAt(at: number, message: Message): Words {
    if (this.#messages[at] === message) return this.#words[at] as Words;
    const words = countWords(message.parts, this.#counter);
    this.#messages[at] = message;
    this.#words[at] = words;
    return words;
  }
}

/** Of the messages from this place on. */
export function sizeOfMessages(
  messages: readonly Message[],
  options: SizeOptions,
  { from = 0, counted }: { readonly from?: number; readonly counted?: CountedMessages } = {},
): RawSize {
  const sum = { ...NO_SIZE };
  for (let at = from; at < messages.length; at++) {
    const message = messages[at] as Message;
    addWords(sum, counted ? counted.wordsAt(at, message) : countWords(message.parts, options.counter), options);
  }
  return sum;
}

export function sizeOfParts(parts: readonly Part[], options: SizeOptions): RawSize {
  const sum = { ...NO_SIZE };
  addWords(sum, countWords(parts, options.counter), options);
  return sum;
}

type Sum = { -readonly [Key in keyof RawSize]: RawSize[Key] };

function addWords(sum: Sum, words: Words, options: SizeOptions): void {
  sum.text += words.text;
  sum.state += words.state;
  sum.bytes += words.bytes;
  for (const image of words.images) addImage(sum, image, options);
}

function addImage(sum: Sum, image: ImagePart, { profile, refOf }: SizeOptions): void {
  const ref = refOf(image.artifactId);
  sum.imageParts += 1;
  sum.imageTokens += tokensOfImage(image, ref, profile);
  if (!profile.supportsVision) return;
  sum.bytes += bytesOfImage(ref);
  sum.images += 1;
}

/** Of text that is not in a message: the system prompt, a tool. */
export function sizeOfText(text: string, counter: TokenCounter): RawSize {
  return { ...NO_SIZE, text: counter.text(text) + PART_TOKENS, bytes: bytesOf(text) };
}

export function addSizes(a: RawSize, b: RawSize, sign: 1 | -1 = 1): RawSize {
  return {
    text: a.text + sign * b.text,
    state: a.state + sign * b.state,
    imageTokens: a.imageTokens + sign * b.imageTokens,
    bytes: a.bytes + sign * b.bytes,
    images: a.images + sign * b.images,
    imageParts: a.imageParts + sign * b.imageParts,
  };
}

export function subtractSizes(a: RawSize, b: RawSize): RawSize {
  return addSizes(a, b, -1);
}

/** VI-16: by the profile's formula; without a size, or without a formula, rather too much than too little. */
function tokensOfImage(image: ImagePart, ref: ArtifactRef | undefined, profile: ModelProfile): number {
  if (!profile.supportsVision) return PLACEHOLDER_TOKENS;
  if (ref?.width === undefined || ref.height === undefined) return estimateImageTokens();
  const { width, height } = ref;
  return profile.imageTokens?.(width, height, image.detail) ?? estimateImageTokens({ width, height });
}

/**
 * VI-16: tokens of a picture for a model whose own formula nobody stated. Never less than a known provider charges.
 * Without a size (pixels) it is the most that any picture costs.
 */
export function estimateImageTokens(size?: { readonly width: number; readonly height: number }): number {
  if (!size) return MOST_TOKENS;
  const patches = Math.ceil(size.width / PATCH) * Math.ceil(size.height / PATCH);
  return Math.min(Math.max(patches, 1), MOST_TOKENS);
}

/** As base64 in the body. */
export function bytesOfImage(ref: ArtifactRef | undefined): number {
  return Math.ceil((ref?.bytes ?? UNKNOWN_IMAGE_BYTES) / 3) * 4;
}

function countWords(parts: readonly Part[], counter: TokenCounter): Words {
  let text = 0;
  let state = 0;
  let bytes = 0;
  for (const part of parts) {
    const words = textOf(part);
    const tokens = counter.text(words.head + words.body) + PART_TOKENS;
    if (part.type === "state_note") state += tokens;
    else text += tokens;
    bytes += bytesOf(words.body, words.head);
  }
  const images = parts.some(hasImages) ? parts.flatMap(imagesOf) : NO_IMAGES;
  return { text, state, bytes, images };
}

/** Most messages have none: one list for them all. */
const NO_IMAGES: readonly ImagePart[] = [];

/** Whether a picture is shown in it. */
export function hasImages(part: Part): boolean {
  return part.type === "image" || (part.type === "tool_result" && part.content.some((item) => item.type === "image"));
}

function imagesOf(part: Part): readonly ImagePart[] {
  if (part.type === "image") return [part];
  return part.type === "tool_result" ? part.content.filter((item) => item.type === "image") : [];
}

/** The words of a part as they go over the wire, pictures aside. In two: joined, a long text would be copied to be measured. */
function textOf(part: Part): { readonly head: string; readonly body: string } {
  switch (part.type) {
    case "text":
    case "state_note":
      return { head: "", body: part.text };
    case "reasoning":
      return { head: "", body: part.opaque ? JSON.stringify(part.opaque.data) : part.text };
    case "tool_call":
      return { head: part.call.id + part.call.toolName, body: JSON.stringify(part.call.arguments) };
    case "tool_result":
      return {
        head: part.callId,
        body: part.content.map((item) => (item.type === "text" ? item.text : "")).join("\n"),
      };
    case "provider":
      return { head: "", body: JSON.stringify(part.opaque.data) };
    case "image":
      return { head: "", body: "" };
  }
}

function bytesOf(text: string, head = ""): number {
  return Math.ceil((Buffer.byteLength(text) + Buffer.byteLength(head)) * ESCAPE_GROWTH) + PART_BYTES;
}
