// the embedded text model: at once when it is here, else fetched when somebody searches

import { createModelStore, type FetchTarball, listModels } from "@vision-agent/vision-engine";
import { reasonOf } from "../workspace/kinded-error.ts";
import { type OpenEmbedder, openEngineEmbedder, TEXT_MODEL_ID } from "./open-engine-embedder.ts";

export interface TextModelOptions {
  /** Where fetched models are kept. */
  readonly folder: string;
  readonly fetchTarball: FetchTarball;
  /** Told in a sentence when it cannot be had. Must not throw. */
  readonly onNotice: (message: string) => void;
}

export interface TextModel {
  /** Pending until the model is here; rejects when it cannot be had. */
  readonly embedder: Promise<OpenEmbedder>;
  /** Somebody searches: what is missing is fetched, once. */
  want(): void;
  /** Stops a fetch that is under way. May be called twice. */
  close(): Promise<void>;
}

export function openTextModel({ folder, fetchTarball, onNotice }: TextModelOptions): TextModel {
  const closing = new AbortController();
  const { signal } = closing;
  const ready = Promise.withResolvers<OpenEmbedder>();
  // Search is by words until then, and says so.
  ready.promise.catch(() => undefined);
  let opening: Promise<void> | undefined;
  const open = async (): Promise<void> => {
    try {
      const model = await createModelStore({ folder, fetchTarball }).prepareModel(TEXT_MODEL_ID, { signal });
      const [weights] = model.kind === "built-in" ? model.folders : [];
      if (weights === undefined) throw new Error(`${TEXT_MODEL_ID} has no weights.`);
      ready.resolve(await openEngineEmbedder({ folder: weights }));
    } catch (error) {
      ready.reject(error);
      const reason = reasonOf(error);
      if (!signal.aborted) onNotice(`Memory is searched by words alone: ${reason}`);
    }
  };
  const want = (): void => {
    if (!signal.aborted) opening ??= open();
  };
  const isHere = listModels(folder).then((models) => models.some(({ id, cached }) => id === TEXT_MODEL_ID && cached));
  isHere.then(
    (here) => here && want(),
    () => undefined,
  );
  return {
    embedder: ready.promise,
    want,
    async close() {
      closing.abort();
      await opening;
      ready.reject(signal.reason);
      const opened = await ready.promise.catch(() => undefined); // there is none to close
      await opened?.close();
    },
  };
}
