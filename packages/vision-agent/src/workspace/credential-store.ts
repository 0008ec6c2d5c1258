// what a person types or sends → the same with addresses as they may be shown; what was taken out ⇄ a file

import PQueue from "p-queue";
import { z } from "zod";
import { replaceAddresses, secretsIn, withoutCredentials } from "./camera-address.ts";
import type { FilePort } from "./file-port.ts";
import { reasonOf } from "./kinded-error.ts";
import { parseJson } from "./parse-json.ts";

/** Passwords and keys of addresses that are not in `CAMERAS.md`, by the address as it is shown. */
export interface CredentialStore {
  /**
   * A text, or JSON with texts, with every address as it may be shown. What is left out is kept, over a restart, too;
   * the last password for an address counts.
   */
  take<T>(value: T): Promise<T>;
  /** The whole address for one that is shown; anything else as it is. */
  complete(address: string): string;
  /** Everything that must not be told. */
  secrets(): readonly string[];
}

export interface CredentialStoreOptions {
  readonly files: FilePort;
  /** Of the JSON file. */
  readonly path: string;
  /** Told in a sentence what could not be read or kept. Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** Its name in the workspace. */
export const CREDENTIALS_FILE = "credentials.json";

const fileSchema = z.object({ version: z.literal(1), addresses: z.array(z.string()) });

/** Without a file that can be read the store is empty. */
export async function openCredentialStore(options: CredentialStoreOptions): Promise<CredentialStore> {
  const { files, path, onNotice } = options;
  const loaded = await load(options);
  const addresses = new Map(loaded.addresses.map((address) => [withoutCredentials(address), address]));
  let { isDamaged } = loaded;
  const queue = new PQueue({ concurrency: 1 });

  const save = async (): Promise<void> => {
    try {
      // A person may still mend it.
      if (isDamaged) await files.rename(path, `${path}.broken`);
      isDamaged = false;
      const content = { version: 1, addresses: [...addresses.values()] };
      await files.writeAtomic(path, `${JSON.stringify(content, null, 2)}\n`);
    } catch (error) {
      onNotice(`A password is kept only until the program ends: ${reasonOf(error)}`);
    }
  };

  return {
    async take(value) {
      let isNew = false;
      const shown = mapTexts(value, (text) =>
        replaceAddresses(text, (address) => {
          const short = withoutCredentials(address);
          if (short === address) return address;
          isNew ||= addresses.get(short) !== address;
          addresses.set(short, address);
          return short;
        }),
      );
      if (isNew) void queue.add(save);
      await queue.onIdle();
      return shown;
    },
    complete: (address) => addresses.get(address) ?? address,
    secrets: () => [...addresses.values()].flatMap(secretsIn),
  };
}

interface Loaded {
  readonly addresses: readonly string[];
  /** There is something that cannot be read. */
  readonly isDamaged: boolean;
}

async function load({ files, path, onNotice }: CredentialStoreOptions): Promise<Loaded> {
  try {
    const text = await files.readText(path);
    if (text === undefined) return { addresses: [], isDamaged: false };
    const file = fileSchema.safeParse(parseJson(text)).data;
    if (file !== undefined) return { addresses: file.addresses, isDamaged: false };
    onNotice(`${path} is not the JSON that is expected; passwords given in conversations must be given again.`);
  } catch (error) {
    onNotice(`Passwords given in conversations must be given again: ${reasonOf(error)}`);
  }
  return { addresses: [], isDamaged: true };
}

/** The same shape with every text changed; bytes and the like stay as they are. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  const map = (one: unknown): unknown => {
    if (typeof one === "string") return change(one);
    if (Array.isArray(one)) return one.map(map);
    if (typeof one !== "object" || one === null || Object.getPrototypeOf(one) !== Object.prototype) return one;
    return Object.fromEntries(Object.entries(one).map(([key, each]) => [key, map(each)]));
  };
  return map(value) as T;
}
