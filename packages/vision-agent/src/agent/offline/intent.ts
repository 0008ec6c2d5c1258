/** Where a counting line lies in the picture: through its middle, or a quarter in from an edge. */
export type LinePlacement = "vertical" | "horizontal" | "top" | "bottom" | "left" | "right";

/** What a person wants, as far as rules can tell. */
export type Intent =
  | { readonly kind: "help" }
  | { readonly kind: "greeting" }
  | { readonly kind: "thanks" }
  /** Classes are named when the question is about them: "is there a dog?" */
  | {
      readonly kind: "look";
      readonly camera: string;
      readonly classes: readonly string[];
      /** A figure is asked for, not a yes or no. */
      readonly howMany: boolean;
    }
  | {
      readonly kind: "count";
      readonly camera: string;
      /** Empty counts everything. */
      readonly classes: readonly string[];
      readonly line: LinePlacement;
      /** Tell a person at each crossing. */
      readonly alert: boolean;
    }
  | { readonly kind: "watch"; readonly camera: string; readonly classes: readonly string[] }
  | { readonly kind: "totals"; readonly pipelines: readonly string[]; readonly classes: readonly string[] }
  | { readonly kind: "list" }
  | { readonly kind: "cameras" }
  | { readonly kind: "stop"; readonly target: StopTarget }
  /** Something is missing or unknown: the question that asks for it. */
  | { readonly kind: "ask"; readonly question: string }
  /** Understood, and not possible here. */
  | { readonly kind: "beyond"; readonly what: string; readonly instead: string }
  | { readonly kind: "unknown" };

export type StopTarget =
  | { readonly kind: "everything" }
  | { readonly kind: "camera"; readonly camera: string }
  /** The words of the instruction, to be compared with the names of what runs. */
  | { readonly kind: "words"; readonly words: string };

/** A running pipeline as the interpreter knows it. */
export interface KnownPipeline {
  readonly name: string;
  readonly camera: string;
  /** It counts across a line. */
  readonly counts: boolean;
}

/** The names of this house. */
export interface Known {
  readonly cameras: readonly string[];
  readonly pipelines: readonly KnownPipeline[];
}
