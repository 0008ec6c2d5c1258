/** Where a note goes: a day's file, what is known for good, or what the person likes. */
export type MemoryCategory = "observation" | "knowledge" | "preference";

/** What a note carries along, such as the event or pipeline it came from. */
export type NoteMetadata = Readonly<Record<string, string | number | boolean>>;

export interface MemoryNote {
  /** Plain text, one or more lines. */
  readonly content: string;
  readonly category: MemoryCategory;
  /** Name of the camera that it is about. */
  readonly camera?: string;
  readonly metadata?: NoteMetadata;
}

/** Where a note stands. */
export interface NotePlace {
  /** Path of the file inside the workspace, with `/`. */
  readonly path: string;
  /** Line it begins at, from 1. */
  readonly line: number;
}

/** One passage found in memory, with where it stands. */
export interface MemoryPassage extends NotePlace {
  readonly text: string;
  readonly category: MemoryCategory;
  /** YYYY-MM-DD; absent for what was written by hand without a date. */
  readonly day?: string;
  /** HH:MM of that day. */
  readonly time?: string;
  readonly camera?: string;
  readonly metadata?: NoteMetadata;
  /** Above 0 to 1, higher is nearer. */
  readonly score: number;
}

/** What was found, best first. */
export interface MemoryAnswer {
  readonly passages: readonly MemoryPassage[];
  /** A sentence on what this search could not do, such as compare meanings. To be told along with the passages. */
  readonly notice?: string;
}

export interface MemoryFilter {
  /** Default 10, at most 100. */
  readonly maxResults?: number;
  /** Only notes about this camera. Upper and lower case are the same. */
  readonly camera?: string;
  /** First day, YYYY-MM-DD, inclusive. Notes without a date are left out when a day is given. */
  readonly from?: string;
  /** Last day, YYYY-MM-DD, inclusive. */
  readonly to?: string;
}

/** Metadata of a note that was written after reading something from outside: it is found, but not put into prompts. */
export const FROM_OUTSIDE = "untrusted";

/** What is remembered between conversations; Markdown files are the truth. */
export interface Memory {
  /** Resolves when the disk has it. Throws `RangeError` when the content is empty. */
  store(note: MemoryNote): Promise<NotePlace>;
  /** By words and, where the text model is at hand, by meaning. Any text is a query: nothing in it is syntax. */
  search(query: string, filter?: MemoryFilter): Promise<MemoryAnswer>;
  /** Observations of one day (YYYY-MM-DD, default today) as Markdown; empty when there are none. */
  observations(options?: { readonly day?: string; readonly camera?: string }): Promise<string>;
  /**
   * Observations of the last `days` days, today included, as Markdown for a prompt. The newest are kept
   * when `maxTokens` (an estimate) does not suffice, and a line says that older ones were cut.
   */
  recentObservations(options: { readonly days: number; readonly maxTokens: number }): Promise<string>;
}
