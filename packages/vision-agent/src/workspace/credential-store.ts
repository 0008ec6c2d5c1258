// what a person types or sends → the same with addresses as they may be shown; what was taken out ⇄ a file

import PQueue from "p-queue";
import { z } from "zod";
import { LONGEST_ADDRESS, replaceAddresses, secretsIn, withoutCredentials } from "./camera-address.ts";
import type { FilePort } from "./file-port.ts";
import { KindedError, reasonOf } from "./kinded-error.ts";
import { parseJson } from "./parse-json.ts";

/** Passwords and keys of addresses that are not in `CAMERAS.md`, by the address as it is shown. */
export interface CredentialStore {
  /**
   * A text, or JSON with texts, with every address as it may be shown. What is left out is kept, over a restart, too;
   * the last password for an address counts. Rejects with `CredentialError`, and then keeps nothing.
   */
  take<T>(value: T): Promise<T>;
  /** The whole address for one that is shown; anything else as it is. */
  complete(address: string): string;
  /** Everything that must not be told. */
  secrets(): readonly string[];
}

/** `invalid` an address is too long, or there are too many of them. */
export class CredentialError extends KindedError<"invalid"> {}

export interface CredentialStoreOptions {
  readonly files: FilePort;
  /** Of the JSON file. */
  readonly path: string;
  /** Told in a sentence what could not be read or kept. Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** Its name in the workspace. */
export const CREDENTIALS_FILE = "credentials.json";

/** Each takes memory and a little time from everything that is shown. */
const MOST_ADDRESSES = 500;
const fileSchema = z.object({ version: z.literal(1), addresses: z.array(z.unknown()) });

/** What cannot be used of the file is put aside, and said; the store opens in any case. */
export async function openCredentialStore(options: CredentialStoreOptions): Promise<CredentialStore> {
  const { files, path, onNotice } = options;
  const loaded = await load(options);
  let addresses: ReadonlyMap<string, string> = new Map(
    loaded.addresses.map((address) => [withoutCredentials(address), address]),
  );
  let secrets = secretsOf(addresses);
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
  if (isDamaged) await queue.add(save);

  return {
    async take(value) {
      const given = new Map<string, string>();
      const shown = mapTexts(value, (text) =>
        replaceAddresses(text, (address) => {
          const short = withoutCredentials(address);
          if (short !== address) given.set(short, fitting(address));
          return short;
        }),
      );
      if ([...given].some(([short, address]) => addresses.get(short) !== address)) {
        const all = new Map([...addresses, ...given]);
        if (all.size > MOST_ADDRESSES) throw tooMany(path);
        [addresses, secrets] = [all, secretsOf(all)];
        void queue.add(save);
      }
      await queue.onIdle();
      return shown;
    },
    complete: (address) => addresses.get(address) ?? address,
    secrets: () => secrets,
  };
}

function secretsOf(addresses: ReadonlyMap<string, string>): readonly string[] {
  return [...addresses.values()].flatMap(secretsIn);
}

/** Throws `CredentialError`. */
function fitting(address: string): string {
  if (address.length <= LONGEST_ADDRESS) return address;
  const message = `An address with a password has ${LONGEST_ADDRESS} characters at most; this one has ${address.length}.`;
  throw new CredentialError("invalid", message);
}

function tooMany(path: string): CredentialError {
  const message = `Passwords of ${MOST_ADDRESSES} addresses are kept, which is the limit. Stop the program, take those that are not needed out of ${path}, and start it again.`;
  return new CredentialError("invalid", message);
}

interface Loaded {
  readonly addresses: readonly string[];
  /** There is something that cannot be used. */
  readonly isDamaged: boolean;
}

async function load({ files, path, onNotice }: CredentialStoreOptions): Promise<Loaded> {
  const aside = `The file is put aside as ${path}.broken.`;
  try {
    const text = await files.readText(path);
    if (text === undefined) return { addresses: [], isDamaged: false };
    const file = fileSchema.safeParse(parseJson(text)).data;
    if (file !== undefined) {
      const addresses = file.addresses.filter(isUsable).slice(0, MOST_ADDRESSES);
      const left = file.addresses.length - addresses.length;
      if (left > 0)
        onNotice(`${path}: ${left} entries are no addresses with a password, too long or too many. ${aside}`);
      return { addresses, isDamaged: left > 0 };
    }
    onNotice(
      `${path} is not the JSON that is expected; passwords given in conversations must be given again. ${aside}`,
    );
    return { addresses: [], isDamaged: true };
  } catch (error) {
    onNotice(`Passwords given in conversations must be given again: ${reasonOf(error)}`);
    return { addresses: [], isDamaged: false };
  }
}

function isUsable(entry: unknown): entry is string {
  return typeof entry === "string" && entry.length <= LONGEST_ADDRESS && withoutCredentials(entry) !== entry;
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
