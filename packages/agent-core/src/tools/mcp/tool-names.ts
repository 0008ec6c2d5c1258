// names of a server's tools → names that models and providers take
import { createHash } from "node:crypto";

const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/**
 * `server__tool`, 1 to 64 letters, digits, `_` and `-`. A name that is too long, or that another one became as well,
 * ends in a hash of what it was, so that it is the same in every process and for every order of listing.
 * A name that came out unchanged is never given away to one that did not.
 */
export function toToolNames(
  server: string,
  tools: readonly string[],
  isTaken: (name: string) => boolean = () => false,
): ReadonlyMap<string, string> {
  const plain = new Map(tools.map((tool) => [tool, sanitize(`${server}__${tool}`)]));
  const owners = new Map<string, number>();
  for (const name of plain.values()) owners.set(name, (owners.get(name) ?? 0) + 1);
  return new Map(
    [...plain].map(([tool, name]) => {
      const isExact = name === `${server}__${tool}`;
      const isShared = (owners.get(name) ?? 0) > 1 && !isExact;
      const fits = name.length <= MAX_NAME_CHARS && !isShared && !isTaken(name);
      return [tool, fits ? name : withHash(name, `${server}\0${tool}`)];
    }),
  );
}

function sanitize(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_");
}

function withHash(name: string, original: string): string {
  const hash = createHash("sha256").update(original).digest("hex").slice(0, HASH_CHARS);
  return `${name.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}
