// engine manifests, or what a server says of itself → the block types of a backend
import { raceAbort } from "@vision-agent/agent-core";
import type { InferenceClient, ServerBlockDescription } from "@vision-agent/inference-client";
import { type BackendName, type BlockSummary, blockSummarySchema, type Json } from "@vision-agent/protocol";
import type { KnownBlock } from "@vision-agent/vision-engine";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { parseJson } from "../workspace/parse-json.ts";
import { speakingBackendError } from "./client-errors.ts";

export interface BlockListing {
  readonly backend: BackendName;
  /** Which engine or server speaks, with its version. */
  readonly source: string;
  /** ISO 8601; absent for what is always up to date. */
  readonly asOf?: string;
  /** Said when the server does not answer and an earlier list is given. */
  readonly note?: string;
  readonly blocks: readonly BlockSummary[];
}

export interface BlockCatalog {
  /** Throws `BackendError` when a server does not answer and never did. */
  list(backend: BackendName, signal?: AbortSignal): Promise<BlockListing>;
}

/** As much of a fleet of servers as is asked for one thing. */
export interface AskedFleet<C> {
  choose(wanted: { readonly for: "run" }, signal?: AbortSignal): Promise<{ readonly client: C }>;
}

export type DescribingClient = Pick<InferenceClient, "info"> & {
  readonly workflows: Pick<InferenceClient["workflows"], "describeBlocks">;
};

export interface BlockCatalogOptions {
  /** Every block type of the language: the engine's function of the same name. */
  readonly listKnownBlocks: () => readonly KnownBlock[];
  /** Version of the language that the engine speaks. */
  readonly engineVersion: string;
  readonly fleet: AskedFleet<DescribingClient>;
  readonly files: FilePort;
  /** Where the lists of servers are kept, one file for each version. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told when a list cannot be kept. Must not throw. */
  readonly onProblem: (message: string) => void;
}

const listSchema = z.object({
  version: z.string(),
  as_of: z.iso.datetime(),
  blocks: z.array(blockSummarySchema),
});
type ServerList = z.infer<typeof listSchema>;

export function createBlockCatalog(options: BlockCatalogOptions): BlockCatalog {
  const servers = new ServerBlocks(options);
  return {
    list: async (backend, signal) => {
      if (backend !== "direct") return { backend, ...(await servers.list(signal)) };
      const source = `this machine, workflow language ${options.engineVersion}`;
      return { backend, source, blocks: options.listKnownBlocks().map(ofEngine) };
    },
  };
}

/** A list is fetched once for each version. A failure is nobody's but of those who waited for it. */
class ServerBlocks {
  readonly #options: BlockCatalogOptions;
  /** By version; what failed is not there. */
  readonly #lists = new Map<string, Promise<ServerList>>();

  constructor(options: BlockCatalogOptions) {
    this.#options = options;
  }

  async list(signal?: AbortSignal): Promise<Omit<BlockListing, "backend">> {
    try {
      return toListing(await speakingBackendError(() => this.#ask(signal), signal));
    } catch (error) {
      signal?.throwIfAborted();
      const earlier = await this.#latest();
      if (earlier === undefined) throw error;
      const reason = reasonOf(error);
      return { ...toListing(earlier), note: `This is the list of ${earlier.as_of}. ${reason}` };
    }
  }

  async #ask(signal?: AbortSignal): Promise<ServerList> {
    const { client } = await this.#options.fleet.choose({ for: "run" }, signal);
    const { version } = await client.info(signal && { signal });
    let list = this.#lists.get(version);
    if (list === undefined) {
      // Without the caller's signal: others may wait for the same list.
      list = this.#open(version, () => client.workflows.describeBlocks());
      this.#lists.set(version, list);
      list.catch(() => this.#lists.delete(version)); // the next one asks again
    }
    return signal === undefined ? list : raceAbort(list, signal);
  }

  async #open(version: string, describe: () => Promise<readonly ServerBlockDescription[]>): Promise<ServerList> {
    const kept = await this.#read(this.#path(version));
    if (kept?.version === version) return kept;
    const blocks = (await describe()).map(ofServer);
    const list = { version, as_of: new Date(this.#options.now()).toISOString(), blocks };
    await this.#keep(list);
    return list;
  }

  async #keep(list: ServerList): Promise<void> {
    const { files, folder, onProblem } = this.#options;
    try {
      await files.makeFolder(folder);
      await files.writeAtomic(this.#path(list.version), `${JSON.stringify(list)}\n`);
    } catch (error) {
      onProblem(`The list of blocks could not be kept: ${reasonOf(error)}`);
    }
  }

  async #read(path: string): Promise<ServerList | undefined> {
    return listSchema.safeParse(parseJson((await this.#options.files.readText(path)) ?? "")).data;
  }

  async #latest(): Promise<ServerList | undefined> {
    const { files, folder } = this.#options;
    const names = (await files.list(folder)).map(({ name }) => name).filter((name) => /^blocks-.*\.json$/.test(name));
    const kept = await Promise.all(names.map((name) => this.#read(`${folder}/${name}`)));
    const known = await Promise.allSettled(this.#lists.values());
    const lists = [...kept, ...known.map((one) => (one.status === "fulfilled" ? one.value : undefined))];
    return lists
      .filter((list) => list !== undefined)
      .sort((a, b) => a.as_of.localeCompare(b.as_of))
      .at(-1);
  }

  #path(version: string): string {
    return `${this.#options.folder}/blocks-${version.replace(/[^\w.-]/g, "_")}.json`;
  }
}

function toListing({ version, as_of, blocks }: ServerList): Omit<BlockListing, "backend"> {
  return { source: `Inference server ${version}`, asOf: as_of, blocks };
}

function ofEngine({ aliases, description = "", properties, outputs, runsHere, ...block }: KnownBlock): BlockSummary {
  const { type, name, family } = block;
  return {
    type,
    aliases: [...aliases],
    name,
    family,
    description,
    runs: runsHere,
    properties: properties.map((property) => ({ name: property.name, required: property.required ?? false })),
    outputs: outputs.map((output) => ({ name: output.name, kinds: [...output.kinds] })),
  };
}

function ofServer({ type, aliases, name, schema, outputs }: ServerBlockDescription): BlockSummary {
  const { block_type, short_description, properties, required } = fieldsOf(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  return {
    type,
    aliases: [...aliases],
    name,
    family: typeof block_type === "string" ? block_type : "",
    description: typeof short_description === "string" ? short_description : "",
    runs: true,
    properties: Object.keys(fieldsOf(properties))
      .filter((property) => property !== "type" && property !== "name")
      .map((property) => ({ name: property, required: needed.has(property) })),
    outputs: outputs.map((output) => ({ name: output.name, kinds: [...output.kinds] })),
  };
}

function fieldsOf(value: Json | undefined): { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
