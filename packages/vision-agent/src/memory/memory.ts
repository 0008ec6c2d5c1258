/** One passage found in memory, with where it stands. */
export interface MemoryPassage {
  readonly text: string;
  /** Path of the file inside the workspace. */
  readonly path: string;
  /** Line it begins at, from 1. */
  readonly line: number;
  /** 0 to 1, higher is nearer. */
  readonly score: number;
}

/** What is remembered between conversations; Markdown files are the truth. */
export interface Memory {
  store(note: {
    readonly content: string;
    readonly category: "observation" | "knowledge" | "preference";
    readonly camera?: string;
  }): Promise<void>;
  search(
    query: string,
    options?: { readonly maxResults?: number; readonly camera?: string },
  ): Promise<readonly MemoryPassage[]>;
  /** Observations of one day (YYYY-MM-DD) as Markdown; empty when there are none. */
  observations(day: string): Promise<string>;
}
