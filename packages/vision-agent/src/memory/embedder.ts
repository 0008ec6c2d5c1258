/** Texts → vectors of length 1: the more alike two meanings, the larger the product. Runs off the main thread. */
export interface Embedder {
  /** Vectors of different models are never compared. */
  readonly model: string;
  /** Numbers a vector, a multiple of 32. */
  readonly dimensions: number;
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}
