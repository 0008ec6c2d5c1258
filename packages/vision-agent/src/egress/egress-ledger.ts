// pictures that left → egress/YYYY-MM.jsonl, one line each, on disk before they leave
import { join } from "node:path";
import { type Departure, departureSchema } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { type ForgetfulStore, isCovered, toForgotten } from "../store/forget-target.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { parseJson } from "../workspace/parse-json.ts";

/** Its name in the workspace. */
export const EGRESS_LEDGER_FOLDER = "egress";
const MONTH_FILE = /^\d{4}-\d{2}\.jsonl$/;

export interface DepartureFilter {
  /** ISO 8601, inclusive. */
  readonly since?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly until?: string | undefined;
  readonly camera?: string | undefined;
  /** How many at most, after so many were skipped. */
  readonly limit: number;
  readonly offset: number;
}

export interface EgressLedger {
  /** Resolves when the disk has them. Rejects with `StoreError`. */
  append(departures: readonly Departure[]): Promise<void>;
  /** Newest first. Lines that cannot be read are left out. */
  list(filter: DepartureFilter): Promise<readonly Departure[]>;
  /** Lines stay, without the camera, the picture and its hash. */
  forget: ForgetfulStore["forget"];
}

export interface EgressLedgerOptions {
  readonly files: FilePort;
  /** Absolute path; made with the first line. */
  readonly folder: string;
}

function emptied({ at, what, to, kind, why, bytes }: Departure): Departure {
  return { at, camera: null, what, to, kind, why, ...(bytes !== undefined && { bytes }), forgotten: true };
}

export function createEgressLedger({ files, folder }: EgressLedgerOptions): EgressLedger {
  const writing = new PQueue({ concurrency: 1 });
  /** The last line may be torn by a crash: ours begins on a line of its own. */
  const begun = new Set<string>();
  const write = async (path: string, departures: readonly Departure[]): Promise<void> => {
    await files.makeFolder(folder);
    const before = begun.has(path) ? "" : ((await files.readText(path)) ?? "");
    const lead = before === "" || before.endsWith("\n") ? "" : "\n";
    await files.append(path, lead + departures.map((one) => `${JSON.stringify(one)}\n`).join(""));
    begun.add(path);
  };
  const names = async (): Promise<readonly string[]> =>
    (await files.list(folder)).map(({ name }) => name).filter((name) => MONTH_FILE.test(name));
  const forgetIn = async (
    path: string,
    goes: (one: Departure) => boolean,
    preview: boolean,
  ): Promise<readonly Departure[]> => {
    const lines = ((await files.readText(path)) ?? "").split("\n");
    const read = lines.flatMap((line) => departureSchema.safeParse(parseJson(line)).data ?? []);
    const found = read.filter(goes);
    if (preview || found.length === 0) return found;
    const kept = read.map((one) => (goes(one) ? emptied(one) : one));
    await files.writeAtomic(path, kept.map((one) => `${JSON.stringify(one)}\n`).join(""));
    return found;
  };
  return {
    async forget(target, { preview }) {
      const goes = ({ camera, artifact = "", at }: Departure): boolean =>
        camera !== null && (target.pictures.has(artifact) || isCovered(target, camera, Date.parse(at)));
      const found: Departure[] = [];
      for (const name of await names()) {
        found.push(...(await writing.add(() => forgetIn(join(folder, name), goes, preview))));
      }
      return toForgotten(found.map(({ at, camera, to }) => `${at} ${camera} to ${to}`));
    },
    async append(departures) {
      const [first] = departures;
      if (first === undefined) return;
      await writing.add(() => write(join(folder, `${first.at.slice(0, 7)}.jsonl`), departures));
    },
    async list({ since = "", until = "9999", camera, limit, offset }) {
      const found: Departure[] = [];
      for (const name of (await names()).toSorted().reverse()) {
        if (name.slice(0, 7) < since.slice(0, 7) || found.length >= offset + limit) break;
        const lines = ((await files.readText(join(folder, name))) ?? "").split("\n").reverse();
        for (const line of lines) {
          const departure = departureSchema.safeParse(parseJson(line)).data;
          if (departure === undefined || departure.at < since || departure.at >= until) continue;
          if (camera === undefined || departure.camera?.toLowerCase() === camera.toLowerCase()) found.push(departure);
        }
      }
      return found.slice(offset, offset + limit);
    },
  };
}
