import { z } from "zod";
import { optional } from "../wire/parse-answer.ts";
import type { InferenceTask } from "../wire/parse-inference-answer.ts";
import { canonicalModelId } from "../wire/workflow-request.ts";
import type { CallOptions, Transport, WireCall } from "./transport.ts";

const modelSchema = z
  .object({
    model_id: z.string(),
    task_type: z.string(),
    batch_size: optional(z.union([z.number(), z.string()])),
    input_height: optional(z.number()),
    input_width: optional(z.number()),
  })
  .transform(({ model_id: modelId, task_type: taskType, batch_size, input_width: width, input_height: height }) => ({
    modelId,
    taskType,
    batchSize: typeof batch_size === "number" ? batch_size : undefined,
    input: width === undefined || height === undefined ? undefined : { width, height },
  }));
export type RegisteredModel = z.output<typeof modelSchema>;

const answer = z.object({ models: z.array(modelSchema) }).transform(({ models }) => models);

/** Every one answers with the models that are loaded afterwards. */
export type ModelCalls = ReturnType<typeof createModelCalls>;

export function createModelCalls(transport: Transport, warm: WarmModels) {
  type Answer = Promise<readonly RegisteredModel[]>;
  const send = (call: Pick<WireCall, "path" | "body" | "key" | "timeout">, options?: CallOptions): Answer =>
    transport.send({ method: "POST", repeats: true, ...call, answer }, options);
  return {
    list(options?: CallOptions): Answer {
      const call = { method: "GET", path: "/model/registry", key: "query", timeout: "infoMs" } as const;
      return transport.send({ ...call, repeats: true, answer }, options);
    },
    async add(modelId: string, options?: CallOptions): Answer {
      const body = { model_id: canonicalModelId(modelId) };
      const models = await send({ path: "/model/add", body, key: "body", timeout: "modelLoadMs" }, options);
      warm.note([body.model_id]);
      return models;
    },
    /** Answers the same whether or not the model was loaded. */
    async remove(modelId: string, options?: CallOptions): Answer {
      const body = { model_id: canonicalModelId(modelId) };
      const models = await send({ path: "/model/remove", body, key: "body", timeout: "inferMs" }, options);
      warm.forget(body.model_id);
      return models;
    },
    async clear(options?: CallOptions): Answer {
      const models = await send({ path: "/model/clear", key: "query", timeout: "inferMs" }, options);
      warm.forget();
      return models;
    },
  };
}

/** What was learnt about the models of one server while using it. */
export type WarmModels = ReturnType<typeof createWarmModels>;

export function createWarmModels() {
  const warm = new Set<string>();
  const tasks = new Map<string, InferenceTask>();
  return {
    /** The class of time limit: the first call of a model may download it. */
    timeoutFor: (keys: readonly string[]) => (keys.every((key) => warm.has(key)) ? "inferMs" : "modelLoadMs"),
    /** These have answered. */
    note(keys: readonly string[]): void {
      for (const key of keys) warm.add(key);
    },
    task: (modelId: string): InferenceTask | undefined => tasks.get(modelId),
    learnTask: (modelId: string, task: InferenceTask): void => void tasks.set(modelId, task),
    /** They were unloaded. */
    forget(modelId?: string): void {
      if (modelId === undefined) warm.clear();
      else warm.delete(modelId);
    },
  };
}
