// a JSONL file → entries, its torn end moved aside
import { appendFile, type FileHandle, open } from "node:fs/promises";
import { hasErrorCode } from "./error-code.ts";
import type { TranscriptDamage, TranscriptEntry } from "./session-store.ts";
import { parseEntry } from "./transcript-codec.ts";

const NEWLINE = 0x0a;

export interface LoadedTranscript {
  readonly entries: TranscriptEntry[];
  readonly damage: TranscriptDamage;
  /** Bytes of the sound part. */
  readonly size: number;
}

/** Reads and mends: after this the file ends in a newline, so that the next line begins as its own. */
export async function loadTranscript(path: string, file: FileHandle): Promise<LoadedTranscript> {
  const bytes = await file.readFile();
  const whole = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
  const tail = bytes.subarray(whole.length);
  const { entries, skippedLines } = parseLines(whole);
  if (tail.length === 0) return { entries, damage: { skippedLines, quarantinedBytes: 0 }, size: whole.length };

  const last = parseEntry(tail.toString("utf8"));
  if (last) {
    await file.appendFile("\n");
    await file.sync();
    return { entries: [...entries, last], damage: { skippedLines, quarantinedBytes: 0 }, size: bytes.length + 1 };
  }
  await appendFile(`${path}.quarantine`, tail, { mode: 0o600 });
  await file.truncate(whole.length);
  await file.sync();
  return { entries, damage: { skippedLines, quarantinedBytes: tail.length }, size: whole.length };
}

/** Reads without touching: a torn end is left to the writer. */
export async function readTranscript(path: string): Promise<readonly TranscriptEntry[]> {
  const bytes = await readStart(path);
  return bytes ? parseLines(bytes).entries : [];
}

/** The beginning of a file, or all of it. Undefined when there is none. */
export async function readStart(path: string, maxBytes?: number): Promise<Buffer | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (thrown) {
    if (hasErrorCode(thrown, "ENOENT")) return undefined;
    throw thrown;
  }
  try {
    if (maxBytes === undefined) return await file.readFile();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export function parseLines(bytes: Buffer): { readonly entries: TranscriptEntry[]; readonly skippedLines: number } {
  const entries: TranscriptEntry[] = [];
  let skippedLines = 0;
  for (const line of bytes.toString("utf8").split("\n")) {
    if (line.trim() === "") continue;
    const entry = parseEntry(line);
    if (entry) {
      entries.push(entry);
      continue;
    }
    skippedLines += 1;
    entries.push(...salvage(line));
  }
  return { entries, skippedLines };
}

/** Lines that ran into each other: a writer that died in the middle, and the next one behind it. */
function salvage(line: string): readonly TranscriptEntry[] {
  return line
    .split(/(?=\{"v":1,)/)
    .slice(1)
    .flatMap((piece) => parseEntry(piece) ?? []);
}
