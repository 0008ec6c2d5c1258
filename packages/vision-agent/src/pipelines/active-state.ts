// what runs ⇄ active_state.json, across restarts and kills
import { sceneEventKindSchema, workflowSpecSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { parseJson } from "../workspace/parse-json.ts";

const activePipelineSchema = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  /** Camera name or full source address. */
  video_reference: z.string().min(1),
  spec: workflowSpecSchema,
  max_fps: z.number().positive().optional(),
  alert_on: z.array(sceneEventKindSchema),
  paused: z.boolean(),
  started_at: z.iso.datetime(),
});
/** One pipeline that was started and not stopped. */
export type ActivePipeline = z.infer<typeof activePipelineSchema>;

const fileSchema = z.object({ version: z.literal(1), pipelines: z.array(z.unknown()) });

export interface LoadedState {
  readonly pipelines: readonly ActivePipeline[];
  /** What could not be read and where it was put aside, in a sentence. */
  readonly problem?: string;
}

export interface ActiveState {
  /** False until something was saved for the first time. */
  exists(): Promise<boolean>;
  load(): Promise<LoadedState>;
  /** Whole or not at all; the last call wins. Rejects with `StoreError`. */
  save(pipelines: readonly ActivePipeline[]): Promise<void>;
}

/** `path` is that of `active_state.json`; `now` gives milliseconds since 1970. */
export function createActiveState(options: {
  readonly files: FilePort;
  readonly path: string;
  readonly now: () => number;
}): ActiveState {
  const { files, path } = options;
  let queue: Promise<void> = Promise.resolve();
  return {
    exists: async () => (await files.readText(path)) !== undefined,
    load: async () => {
      const text = await files.readText(path);
      if (text === undefined) return { pipelines: [] };
      const { pipelines, lost } = parseState(text);
      if (lost === undefined) return { pipelines };
      const aside = `${path}.broken-${new Date(options.now()).toISOString().replaceAll(":", "-")}`;
      // The original stays whole for a person to mend; what was readable is saved anew.
      await files.writeAtomic(aside, text);
      return { pipelines, problem: `${path} could not be read: ${lost}. It was put aside as ${aside}.` };
    },
    save: (pipelines) => {
      const text = `${JSON.stringify({ version: 1, pipelines }, null, 2)}\n`;
      const saved = queue.then(() => files.writeAtomic(path, text));
      queue = saved.catch(() => undefined);
      return saved;
    },
  };
}

function parseState(text: string): { readonly pipelines: readonly ActivePipeline[]; readonly lost?: string } {
  const file = fileSchema.safeParse(parseJson(text));
  if (!file.success) return { pipelines: [], lost: "it is not the JSON that is expected" };
  const parsed = file.data.pipelines.map((one) => activePipelineSchema.safeParse(one).data);
  const pipelines = parsed.filter((one) => one !== undefined);
  const missing = parsed.length - pipelines.length;
  return missing === 0 ? { pipelines } : { pipelines, lost: `${missing} of ${parsed.length} pipelines are damaged` };
}
