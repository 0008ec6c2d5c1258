// weights of the text model → vectors, on a thread of their own
import { createInferencePool, createRemoteRuntime, openTextEmbedder } from "@vision-agent/vision-engine";

/** Texts → vectors of length 1: the more alike two meanings, the larger the product. Runs off the main thread. */
export interface Embedder {
  /** Vectors of different models are never compared. */
  readonly model: string;
  /** Numbers a vector, a multiple of 32. */
  readonly dimensions: number;
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** The embedded text model by the name that the model store knows. */
export const TEXT_MODEL_ID = "vision-agent/text-embedding";
const DIMENSIONS = 384;

export interface OpenEmbedder extends Embedder {
  /** Ends the thread. May be called twice. */
  close(): Promise<void>;
}

/** `folder` is where the model store put the weights. Throws `EngineError` kind `model` when they are not there. */
export async function openEngineEmbedder({ folder }: { readonly folder: string }): Promise<OpenEmbedder> {
  const pool = createInferencePool({ threads: 1 });
  const runtime = createRemoteRuntime(pool.connect());
  const close = async (): Promise<void> => {
    await runtime.close();
    await pool.close();
  };
  try {
    const { embed } = await openTextEmbedder({ folder, runtime });
    return { model: TEXT_MODEL_ID, dimensions: DIMENSIONS, embed, close };
  } catch (error) {
    await close();
    throw error;
  }
}
