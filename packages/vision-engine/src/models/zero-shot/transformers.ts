// the package @huggingface/transformers, where the user has installed it → what we use of it
import { modelError } from "../../errors.ts";
import type { Frame } from "../../frames/frame.ts";

/** Numbers as the package gives them out. */
export interface TransformersTensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** A box of a zero-shot detector, in shares of the picture's width and height. */
export interface TransformersBox {
  readonly score: number;
  readonly label: string;
  readonly box: { readonly xmin: number; readonly ymin: number; readonly xmax: number; readonly ymax: number };
}

/** A picture in the package's own form. */
export type TransformersImage = object;

interface Disposable {
  /** Throws when it is called twice. */
  dispose?(): Promise<unknown>;
}

/** A task with its model; pictures and words in, plain values out. */
interface TransformersPipeline extends Disposable {
  (image: TransformersImage, ...rest: readonly unknown[]): Promise<unknown>;
  readonly model?: { readonly config: { readonly model_type: string } };
}

/** A model, a tokenizer or a processor: called like a function. */
export interface TransformersPart extends Disposable {
  (input: unknown, options?: unknown): Promise<Readonly<Record<string, TransformersTensor>>>;
}

/** Makes a picture and a task ready for Florence-2, and text of what it answers. */
export interface FlorenceProcessor {
  (image: TransformersImage, task: string): Promise<object>;
  batch_decode(answers: TransformersTensor, options: { readonly skip_special_tokens: boolean }): readonly string[];
}

interface FlorenceModel extends Disposable {
  generate(inputs: object): Promise<TransformersTensor>;
}

interface Loadable<T> {
  from_pretrained(id: string, options?: object): Promise<T>;
}

/** A processor depends on the repository. */
interface LoadableProcessor {
  from_pretrained<T = TransformersPart>(id: string): Promise<T>;
}

/** The part of the package that we use. */
export interface Transformers {
  readonly RawImage: new (
    data: Uint8ClampedArray,
    width: number,
    height: number,
    channels: number,
  ) => TransformersImage & {
    rgb(): TransformersImage;
  };
  pipeline(task: string, id: string, options?: object): Promise<TransformersPipeline>;
  readonly AutoProcessor: LoadableProcessor;
  readonly AutoTokenizer: Loadable<TransformersPart>;
  readonly CLIPVisionModelWithProjection: Loadable<TransformersPart>;
  readonly CLIPTextModelWithProjection: Loadable<TransformersPart>;
  readonly Florence2ForConditionalGeneration: Loadable<FlorenceModel>;
}

/** Imports the package; rejects where it is not installed. */
export type LoadTransformers = () => Promise<Transformers>;

/** A variable, so that the type checker does not look for a package that is not a dependency. */
const PACKAGE: string = "@huggingface/transformers";

export const importTransformers: LoadTransformers = async () => (await import(PACKAGE)) as Transformers;

/** How models are opened: threads that wait by spinning take the cores from other models. */
export const MODEL_OPTIONS = {
  session_options: { extra: { session: { intra_op: { allow_spinning: "0" } } } },
};

/** The package, or a sentence that says how to get it. `purpose`: what it is needed for. */
export async function loadTransformers(load: LoadTransformers, purpose: string): Promise<Transformers> {
  try {
    return await load();
  } catch (cause) {
    const isMissing = reasonOf(cause).includes(`'${PACKAGE}'`);
    const state = isMissing ? "is not installed" : `does not load (${reasonOf(cause)})`;
    const message = `${purpose} needs ${PACKAGE}, which ${state}: run "npm install ${PACKAGE}" in the folder whose node_modules holds this program and start it again. On first use it fetches 600 MB to 3 GB from huggingface.co.`;
    throw modelError(message, cause);
  }
}

/** What the package fetches or opens, with its errors as sentences of ours. */
export async function fromHub<T>(id: string, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (cause) {
    throw modelError(`The model "${id}" cannot be opened: ${whyNot(cause)}`, cause);
  }
}

function whyNot(cause: unknown): string {
  const reason = reasonOf(cause);
  if (reason === "fetch failed") {
    return "huggingface.co is not reached. Connect this computer to the internet once: what was fetched is kept.";
  }
  if (cause instanceof Error && cause.name === "ModelFileNotFoundError") {
    return `huggingface.co does not give out what it needs. Check the name of the repository and that it is one for this task; one that needs a login is read with HF_TOKEN in the environment. ${reason}`;
  }
  return reason;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.split("\n")[0]! : String(cause);
}

/** Closes all of them, and nothing the second time. */
export function closeOnce(parts: readonly Disposable[]): () => Promise<void> {
  let closing: Promise<unknown> | undefined;
  return async () => {
    closing ??= Promise.all(parts.map((part) => part.dispose?.()));
    await closing;
  };
}

export function toTransformersImage({ RawImage }: Transformers, { rgba, metadata }: Frame): TransformersImage {
  return new RawImage(rgba, metadata.width, metadata.height, 4).rgb();
}
