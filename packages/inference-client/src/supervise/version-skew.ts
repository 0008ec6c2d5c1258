const OLDEST = [1, 5] as const;
const NEWEST = [1, 8] as const;

/** How a server's version differs from what this client was measured with; undefined when it does not. */
export function versionSkew(version: string): string | undefined {
  const found = /^(\d+)\.(\d+)/.exec(version);
  if (!found) return `Its version "${version}" cannot be read.`;
  const own = [Number(found[1]), Number(found[2])] as const;
  if (isBefore(own, OLDEST)) return `Version ${version} is older than ${OLDEST.join(".")}, the oldest one tried.`;
  if (isBefore(NEWEST, own)) return `Version ${version} is newer than ${NEWEST.join(".")}, the newest one tried.`;
  if (isBefore(own, NEWEST)) {
    return `Version ${version} is older than ${NEWEST.join(".")}: a pipeline that ends can block its stream manager.`;
  }
  return undefined;
}

function isBefore(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}
