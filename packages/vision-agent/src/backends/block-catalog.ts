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

/** As much of a fleet of servers as is asked for blocks. */
export interface DescribingFleet {
  choose(wanted: { readonly for: "run" }, signal?: AbortSignal): Promise<{ readonly client: DescribingClient }>;
}

export type DescribingClient = Pick<InferenceClient, "info"> & {
  readonly workflows: Pick<InferenceClient["workflows"], "describeBlocks">;
};

export interface BlockCatalogOptions {
  /** Every block type of the language: the engine's function of the same name. */
  readonly listKnownBlocks: () => readonly KnownBlock[];
  /** Version of the language that the engine speaks. */
  readonly engineVersion: string;
  readonly fleet: DescribingFleet;
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
  readonly #known = new Map<string, ServerList>();
  readonly #underWay = new Map<string, Promise<ServerList>>();

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
    const known = this.#known.get(version) ?? (await this.#load(version));
    if (known !== undefined) {
      this.#known.set(version, known);
      return known;
    }
    let asked = this.#underWay.get(version);
    if (asked === undefined) {
      // Without the caller's signal: others may wait for the same list.
      asked = this.#fetch(version, () => client.workflows.describeBlocks());
      this.#underWay.set(version, asked);
    }
    return signal === undefined ? asked : raceAbort(asked, signal);
  }

  async #fetch(version: string, describe: () => Promise<readonly ServerBlockDescription[]>): Promise<ServerList> {
    try {
      const blocks = (await describe()).map(ofServer);
      const list = { version, as_of: new Date(this.#options.now()).toISOString(), blocks };
      this.#known.set(version, list);
      await this.#keep(list);
      return list;
    } finally {
      this.#underWay.delete(version);
    }
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

  async #load(version: string): Promise<ServerList | undefined> {
    const list = await this.#read(this.#path(version));
    return list?.version === version ? list : undefined;
  }

  async #read(path: string): Promise<ServerList | undefined> {
    return listSchema.safeParse(parseJson((await this.#options.files.readText(path)) ?? "")).data;
  }

  async #latest(): Promise<ServerList | undefined> {
    const { files, folder } = this.#options;
    const names = (await files.list(folder)).map(({ name }) => name).filter((name) => /^blocks-.*\.json$/.test(name));
    const kept = await Promise.all(names.map((name) => this.#read(`${folder}/${name}`)));
    const lists = [...this.#known.values(), ...kept.filter((list) => list !== undefined)];
    return lists.sort((a, b) => a.as_of.localeCompare(b.as_of)).at(-1);
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
