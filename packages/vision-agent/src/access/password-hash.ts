// a password ⇄ what is kept of it
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import PQueue from "p-queue";

/** What trying one password costs. */
export interface PasswordCost {
  /** Memory is 2^log2n × r × 128 bytes. */
  readonly log2n: number;
  readonly r: number;
  /** Rounds, one after the other. */
  readonly p: number;
}

/** 32 MB and a fraction of a second: too much to try many passwords. */
const USUAL_COST: PasswordCost = { log2n: 15, r: 8, p: 3 };
const KEY_BYTES = 32;

export interface PasswordHasher {
  /** `scrypt$15$8$3$SALT$KEY`: the cost travels along, so that it can be raised later. */
  hash(password: string): Promise<string>;
  /** Without a hash (no such account) it works as long and says no. */
  fits(password: string, hash: string | undefined): Promise<boolean>;
}

export function createPasswordHasher(usual: PasswordCost = USUAL_COST): PasswordHasher {
  // Each hash takes memory and a core: strangers must not start many at once.
  const queue = new PQueue({ concurrency: 1 });
  return {
    async hash(password) {
      const salt = randomBytes(16);
      const { log2n, r, p } = usual;
      const key = await queue.add(() => derive(password, salt, usual));
      return ["scrypt", log2n, r, p, salt.toString("base64url"), key.toString("base64url")].join("$");
    },
    async fits(password, hash) {
      const [, log2n, r, p, salt = "", key = ""] = (hash ?? "").split("$");
      const cost = hash === undefined ? usual : { log2n: Number(log2n), r: Number(r), p: Number(p) };
      const expected = Buffer.from(key, "base64url");
      const derived = await queue.add(() => derive(password, Buffer.from(salt, "base64url"), cost));
      return expected.length === derived.length && timingSafeEqual(expected, derived);
    },
  };
}

function derive(password: string, salt: Buffer, { log2n, r, p }: PasswordCost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** log2n, r, p, maxmem: 256 * 2 ** log2n * r };
  return new Promise<Buffer>((done, fail) => {
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, options, (error, key) => (error ? fail(error) : done(key)));
  });
}
