// what runs ⇄ active_state.json, across restarts and kills

import { backendNameSchema, sceneEventKindSchema, workflowSpecSchema } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { parseJson } from "../workspace/parse-json.ts";

export const activePipelineSchema = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  /** Camera name, or an address as it is shown. */
  video_reference: z.string().min(1),
  spec: workflowSpecSchema,
  backend: backendNameSchema.default("direct"),
  /** Why that one, in a sentence. */
  backend_reason: z.string().optional(),
  max_fps: z.number().positive().optional(),
  alert_on: z.array(sceneEventKindSchema),
  /** What it counts at a named place: it follows the place. */
  counted: z
    .object({
      place: z.string(),
      kind: z.enum(["line", "zone"]),
      model_id: z.string(),
      classes: z.array(z.string()),
      width: z.number(),
      height: z.number(),
    })
    .optional(),
  paused: z.boolean(),
  started_at: z.iso.datetime(),
  /** When its camera was moved; see `PipelineStatus`. */
  zones_doubtful_since: z.iso.datetime().optional(),
});
/** One pipeline that was started and not stopped. */
export type ActivePipeline = z.infer<typeof activePipelineSchema>;

const fileSchema = z
  .object({ version: z.literal(1), pipelines: z.array(z.unknown()) })
  // Sections that others keep here.
  .catchall(z.unknown());

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
  /** Something else that is there again after a restart, under its own name in the same file. */
  section<T>(name: string, schema: z.ZodType<T>): StateSection<T>;
}

export interface StateSection<T> {
  /** Entries that cannot be read are left out. */
  load(): Promise<readonly T[]>;
  /** Whole or not at all; the last call wins. Rejects with `StoreError`. */
  save(entries: readonly T[]): Promise<void>;
}

/** `path` is that of `active_state.json`; `now` gives milliseconds since 1970. */
export function createActiveState(options: {
  readonly files: FilePort;
  readonly path: string;
  readonly now: () => number;
}): ActiveState {
  const { files, path } = options;
  const queue = new PQueue({ concurrency: 1 });
  let sections: Promise<Map<string, readonly unknown[]>> | undefined;
  const readSections = (): Promise<Map<string, readonly unknown[]>> => {
    sections ??= files.readText(path).then((text) => toSections(text ?? ""));
    return sections;
  };
  const saveSection = (name: string, entries: readonly unknown[]): Promise<void> =>
    queue.add(async () => {
      const all = await readSections();
      all.set(name, entries);
      await files.writeAtomic(path, `${JSON.stringify({ version: 1, ...Object.fromEntries(all) }, null, 2)}\n`);
    });
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
    save: (pipelines) => saveSection("pipelines", pipelines),
    section: (name, schema) => ({
      load: async () => {
        const entries = (await readSections()).get(name) ?? [];
        return entries.map((entry) => schema.safeParse(entry).data).filter((entry) => entry !== undefined);
      },
      save: (entries) => saveSection(name, entries),
    }),
  };
}

/** Pipelines first, so that the file reads well. */
function toSections(text: string): Map<string, readonly unknown[]> {
  const file = fileSchema.safeParse(parseJson(text)).data ?? {};
  const lists = Object.entries(file).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  return new Map([["pipelines", []], ...lists]);
}

function parseState(text: string): { readonly pipelines: readonly ActivePipeline[]; readonly lost?: string } {
  const file = fileSchema.safeParse(parseJson(text));
  if (!file.success) return { pipelines: [], lost: "it is not the JSON that is expected" };
  const parsed = file.data.pipelines.map((one) => activePipelineSchema.safeParse(one).data);
  const pipelines = parsed.filter((one) => one !== undefined);
  const missing = parsed.length - pipelines.length;
  return missing === 0 ? { pipelines } : { pipelines, lost: `${missing} of ${parsed.length} pipelines are damaged` };
}
