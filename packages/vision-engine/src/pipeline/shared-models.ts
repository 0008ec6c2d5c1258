// models asked for by several workflows → each open once, looking once at a picture
import type { DetectionTable } from "../frames/detections.ts";
import type { Frame } from "../frames/frame.ts";
import type { DetectionModel, DetectOptions, ModelRegistry, ModelsByTask, ModelTask } from "../models/model.ts";

const DETECTING: readonly ModelTask[] = ["object-detection", "instance-segmentation", "keypoint-detection"];

interface OpenModel {
  readonly model: Promise<DetectionModel>;
  users: number;
}

/**
 * The same models for all workflows of a thread. One that finds boxes is open once and looks once at a picture: who
 * asks for the same picture with the same options gets the same detections. It is closed with its last user.
 */
export function shareModels(models: ModelRegistry): ModelRegistry {
  const opened = new Map<string, OpenModel>();

  async function openShared(id: string, task: "object-detection"): Promise<DetectionModel> {
    const key = `${task} ${id}`;
    const entry = opened.get(key) ?? { model: models.open(id, task).then(lookOnce), users: 0 };
    opened.set(key, entry);
    entry.users += 1;
    const leave = async (): Promise<boolean> => {
      entry.users -= 1;
      if (entry.users > 0) return false;
      opened.delete(key);
      return true;
    };
    const model = await entry.model.catch(async (error: unknown) => {
      await leave();
      throw error;
    });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      if (await leave()) await model.close();
    };
    return {
      ...model,
      close() {
        closing ??= close();
        return closing;
      },
    };
  }

  return {
    async open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> {
      if (!DETECTING.includes(task)) return models.open(id, task);
      return (await openShared(id, task as "object-detection")) as ModelsByTask[T];
    },
  };
}

function lookOnce(model: DetectionModel): DetectionModel {
  if (model.cheap) return model;
  const looks = new WeakMap<Frame, Map<string, Promise<DetectionTable>>>();
  const detect = (frame: Frame, options: DetectOptions): Promise<DetectionTable> => {
    const found = looks.get(frame) ?? new Map<string, Promise<DetectionTable>>();
    looks.set(frame, found);
    const key = JSON.stringify(options);
    const known = found.get(key) ?? model.detect(frame, options);
    found.set(key, known);
    return known;
  };
  return { ...model, detect };
}
