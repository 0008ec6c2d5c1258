import type { Effect } from "@vision-agent/protocol";

/** One thing as it is kept: JSON without secrets or pictures. `state` is undefined where it is not there. */
export interface KeptThing {
  readonly id: string;
  readonly state: unknown;
}

/** Things of one kind, such as watches: how they are now, and how one is put back. */
export interface UndoKind {
  /** Everything of the kind by its id, as it can be put back. */
  all(): Promise<ReadonlyMap<string, unknown>>;
  /** What is there now in place of something kept; undefined when nothing is. Default: what has its id. */
  find?(kept: KeptThing): Promise<unknown>;
  /** Through the registry that made it. Rejects with a sentence, and then it stays as it was. */
  put(from: KeptThing, to: KeptThing): Promise<Effect>;
}

/** By what they are. What is not here cannot be put back. */
export type UndoKinds = Readonly<Partial<Record<Effect["what"], UndoKind>>>;

/** There is one mode, whatever it is called. */
export function idOf({ what, id }: Pick<Effect, "what" | "id">): string {
  return what === "mode" ? "mode" : id;
}
