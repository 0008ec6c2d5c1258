import { z } from "zod";
import type { ImageSize, InferenceTask } from "../wire/inference-answer.ts";
import { optional, parseAnswer } from "../wire/parse-answer.ts";
import { canonicalModelId } from "../wire/workflow-request.ts";
import type { CallOptions, Transport, WireCall } from "./transport.ts";

export interface RegisteredModel {
  readonly modelId: string;
  readonly taskType: string;
  readonly batchSize: number | undefined;
  readonly input: ImageSize | undefined;
}

/** Every one answers with the models that are loaded afterwards. */
export interface ModelCalls {
  list(options?: CallOptions): Promise<readonly RegisteredModel[]>;
  add(modelId: string, options?: CallOptions): Promise<readonly RegisteredModel[]>;
  /** Answers the same whether or not the model was loaded. */
  remove(modelId: string, options?: CallOptions): Promise<readonly RegisteredModel[]>;
  clear(options?: CallOptions): Promise<readonly RegisteredModel[]>;
}

const registrySchema = z.object({
  models: z.array(
    z.object({
      model_id: z.string(),
      task_type: z.string(),
      batch_size: optional(z.union([z.number(), z.string()])),
      input_height: optional(z.number()),
      input_width: optional(z.number()),
    }),
  ),
});

export function createModelCalls(transport: Transport, warm: WarmModels): ModelCalls {
  const send = async (call: WireCall, options?: CallOptions): Promise<readonly RegisteredModel[]> => {
    const { json } = await transport.send(call, options);
    return parseAnswer(registrySchema, json, `${call.method} ${call.path}`).models.map((model) => ({
      modelId: model.model_id,
      taskType: model.task_type,
      batchSize: typeof model.batch_size === "number" ? model.batch_size : undefined,
      input:
        model.input_width === undefined || model.input_height === undefined
          ? undefined
          : { width: model.input_width, height: model.input_height },
    }));
  };
  const change = { method: "POST", repeat: "idempotent" } as const;
  return {
    list: (options) =>
      send({ method: "GET", path: "/model/registry", key: "query", timeout: "infoMs", repeat: "idempotent" }, options),
    async add(modelId, options) {
      const body = { model_id: canonicalModelId(modelId) };
      const models = await send({ ...change, path: "/model/add", body, key: "body", timeout: "modelLoadMs" }, options);
      warm.note([body.model_id]);
      return models;
    },
    async remove(modelId, options) {
      const body = { model_id: canonicalModelId(modelId) };
      const models = await send({ ...change, path: "/model/remove", body, key: "body", timeout: "inferMs" }, options);
      warm.forget(body.model_id);
      return models;
    },
    async clear(options) {
      const models = await send({ ...change, path: "/model/clear", key: "query", timeout: "inferMs" }, options);
      warm.forget();
      return models;
    },
  };
}

/** What was learnt about the models of one server while using it. */
export interface WarmModels {
  /** The class of time limit: the first call of a model may download it. */
  timeoutFor(keys: readonly string[]): "inferMs" | "modelLoadMs";
  /** These have answered. */
  note(keys: readonly string[]): void;
  task(modelId: string): InferenceTask | undefined;
  learnTask(modelId: string, task: InferenceTask): void;
  /** They were unloaded. */
  forget(modelId?: string): void;
}

export function createWarmModels(): WarmModels {
  const warm = new Set<string>();
  const tasks = new Map<string, InferenceTask>();
  return {
    timeoutFor: (keys) => (keys.every((key) => warm.has(key)) ? "inferMs" : "modelLoadMs"),
    note(keys) {
      for (const key of keys) warm.add(key);
    },
    task: (modelId) => tasks.get(modelId),
    learnTask: (modelId, task) => void tasks.set(modelId, task),
    forget(modelId) {
      if (modelId === undefined) warm.clear();
      else warm.delete(modelId);
    },
  };
}
