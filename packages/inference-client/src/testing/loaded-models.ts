// model ids asked for → models in memory, with the server's trouble about aliases
import type { Json } from "@vision-agent/protocol";
import { FakeRefusal } from "./answer.ts";
import type { FakeModel } from "./find-things.ts";
import { type FakeSettings, isBefore18 } from "./settings.ts";

export interface TakenModel {
  readonly id: string;
  readonly model: FakeModel;
  readonly headers: Readonly<Record<string, string>>;
}

/** Models are kept under the id they were first asked for. */
export class LoadedModels {
  readonly #settings: FakeSettings;
  readonly #loaded = new Map<string, { readonly model: FakeModel; readonly paths: Set<string> }>();

  constructor(settings: FakeSettings) {
    this.#settings = settings;
  }

  get ids(): readonly string[] {
    return [...this.#loaded.keys()];
  }

  /** For `/infer/*` and the legacy route: an alias is refused for ever once its model is loaded under the real id. */
  take(id: string, path: string): TakenModel {
    const canonical = this.#settings.aliases[id];
    if (canonical !== undefined && !this.#loaded.has(id) && this.#loaded.has(canonical)) {
      const headers = { "retry-after": "1", "x-model-id": `${canonical},${id}`, "x-model-cold-start": "false" };
      throw new FakeRefusal({
        status: 503,
        headers,
        body: { message: "Model is temporarily not ready - retry request." },
      });
    }
    return this.#load(id, path);
  }

  /** For workflow steps: an alias loads a copy of its own. `undefined` for a model the server does not have. */
  takeForStep(id: string): FakeModel | undefined {
    return this.#known(id) === undefined ? undefined : this.#load(id, "/workflows/run").model;
  }

  /** Answers with the registry afterwards, as the next two do. */
  add(id: string): Json {
    this.#load(this.#settings.aliases[id] ?? id, "/model/add");
    return this.registry();
  }

  remove(id: string): Json {
    this.#loaded.delete(this.#settings.aliases[id] ?? id);
    return this.registry();
  }

  clear(): Json {
    this.#loaded.clear();
    return this.registry();
  }

  registry(): Json {
    const models = [...this.#loaded].map(([id, { model, paths }]): Json => {
      const size = isBefore18(this.#settings) ? undefined : (model.inputSize ?? { width: 416, height: 416 });
      return {
        model_id: id,
        task_type: model.task,
        batch_size: null,
        input_height: size?.height ?? null,
        input_width: size?.width ?? null,
        vram_bytes: null,
        request_aliases: [],
        request_paths: [...paths].sort(),
      };
    });
    const memory = ["gpu_memory_used", "gpu_memory_total", "torch_cuda_allocated", "torch_cuda_reserved"];
    const nulls = [...memory, "torch_cuda_allocator_cache", "non_torch_gpu_memory"].map((name) => [name, null]);
    return { models, total_vram_bytes: null, ...Object.fromEntries(nulls) };
  }

  #load(id: string, path: string): TakenModel {
    const model = this.#known(id);
    if (model === undefined) {
      const body = { message: "Internal error. Could not connect to Roboflow API." };
      throw new FakeRefusal({ status: 503, headers: { "x-model-id": id, "x-model-cold-start": "false" }, body });
    }
    const isCold = !this.#loaded.has(id);
    const entry = this.#loaded.get(id) ?? { model, paths: new Set<string>() };
    entry.paths.add(path);
    this.#loaded.set(id, entry);
    return { id, model, headers: { "x-model-id": id, "x-model-cold-start": String(isCold) } };
  }

  #known(id: string): FakeModel | undefined {
    return this.#settings.models[id] ?? this.#settings.models[this.#settings.aliases[id] ?? ""];
  }
}
