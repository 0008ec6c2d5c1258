import type { CameraPlace, Colour, CurrentMode, Severity } from "@vision-agent/protocol";
import type { SentenceKind } from "./kind/kinds.data.ts";
import type { Weekday } from "./slots/find-days.ts";
import type { End } from "./slots/find-end.ts";
import type { Hours } from "./slots/find-hours.ts";
import type { Period } from "./slots/find-period.ts";
import type { LinePlacement, NamedLine, Place, Way, Zone } from "./slots/find-places.ts";

/** What a watch waits for, as people tell them apart. */
export type When = "appears" | "leaves" | "crosses" | "enters" | "stays" | "count" | "absent" | "near" | "together";

/** What the words of one clause name. Everything may be missing; the next turn may bring it. */
export interface Slots {
  /** Names of cameras, or addresses. */
  readonly cameras: readonly string[];
  /** A name that no camera has. */
  readonly unknownCamera?: string;
  /** Class names of detectors. */
  readonly classes: readonly string[];
  readonly excluded: readonly string[];
  readonly colour?: Colour;
  /** Everything is meant: "anything", "movement". */
  readonly anything: boolean;
  /** Something is named that is no class, by itself or beside classes. */
  readonly thing?: string;
  /** Beside which things something has to be: "near a vehicle". */
  readonly near: readonly string[];
  /** A distance that no picture tells: "2 metres". */
  readonly metres?: string;
  /** What has to be there at the same time. */
  readonly together?: readonly string[];
  /** … and only "and" or "with" says so. */
  readonly isLoose?: true;
  readonly when?: When;
  readonly line?: LinePlacement | NamedLine;
  readonly way?: Way;
  readonly zone?: Zone;
  /** A place whose part of the picture nobody knows. */
  readonly unknownZone?: string;
  readonly seconds?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Of steps: each follows the one before within so long. */
  readonly withinSeconds?: number;
  readonly hours?: Hours;
  readonly days?: readonly Weekday[];
  /** One day is named and may be meant once: "on Friday". */
  readonly isOneDay?: true;
  /** Days that were said to be left out: of every day, or of those that are there already. */
  readonly daysOff?: readonly Weekday[];
  /** It tells in these modes only: "when we are away". */
  readonly modes?: readonly string[];
  /** It ends then. */
  readonly end?: End;
  /** Told again after so long while it is still so. */
  readonly againSeconds?: number;
  /** One day or night that is meant, where a watch goes on: "tonight". */
  readonly once?: string;
  readonly cooldownSeconds?: number;
  readonly severity?: Severity;
  /** A channel by which nobody can be told here: "e-mail". */
  readonly channel?: string;
  readonly period?: Period;
  readonly fps?: number;
  readonly model?: string;
  readonly workflow?: string;
  readonly workspace?: string;
}

export type Listable = "pipelines" | "watches" | "muted" | "cameras" | "alerts" | "tasks" | "changes";
export type Control = "stop" | "pause" | "resume";

/** When a task runs, in the words of `schedule_task`. */
export type Timing =
  | { readonly cron: string }
  | { readonly every_minutes: number }
  /** ISO 8601. */
  | { readonly at: string };

/** What a clause wants done, before it is known whether everything needed is there. */
export type Act =
  | { readonly kind: "watch" | "count" | "detect" | "run" | "totals" | "why" | "image" | "summary" }
  /** Questions that are answered from what the app knows of itself. */
  | { readonly kind: "health" | "cost" | "delivery" | "current_mode" }
  /** An instruction that is no English. */
  | { readonly kind: "foreign" }
  /** `isPlain`: said in so many words, and nothing else. */
  | { readonly kind: "undo"; readonly isPlain: boolean; readonly again: boolean }
  | { readonly kind: "trial"; readonly isPlain: boolean; readonly words: string }
  /** What a watch would have told. */
  | { readonly kind: "preview"; readonly words: string }
  /** A camera gets another name, or goes. */
  | { readonly kind: "rename"; readonly camera: string; readonly name?: string }
  /** A part of a camera's picture, or a line through it, gets a name. */
  | {
      readonly kind: "place";
      readonly name: string;
      /** In words. */
      readonly where: string;
      readonly zone?: readonly Place[];
      readonly line?: readonly [Place, Place];
    }
  /** No alerts for a while, or again. */
  | {
      readonly kind: "quiet";
      readonly ends: boolean;
      /** Of the clause, which name the watches and the time. */
      readonly words: string;
      /** A time that begins later is taken from now on. */
      readonly fromNow?: boolean;
    }
  | { readonly kind: "mode"; readonly mode: string; readonly isRequest: boolean; readonly isNew?: boolean }
  /** A change in which nothing was found that is another. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "help" | "greeting" | "thanks" | "yes" | "no" | "none" | "calmer" }
  /** Said beside a wish, and nothing could be taken from it. */
  | { readonly kind: "aside" }
  /** `howMany`: a figure is asked for, not a yes or no. */
  | { readonly kind: "look"; readonly howMany: boolean }
  | {
      readonly kind: "past";
      readonly asked: "list" | "count" | "last" | "first" | "ranked";
      readonly eventKind?: string;
      readonly direction?: "in" | "out";
    }
  | { readonly kind: "list"; readonly what: Listable }
  | {
      readonly kind: Control;
      readonly what: "everything" | "pipelines" | "watches" | "tasks" | "named";
      /** The words of the clause, to be compared with the names of what runs. */
      readonly words: string;
      /** Everything that ends was named, and somebody said yes. */
      readonly isListed?: true;
    }
  | { readonly kind: "remember"; readonly content: string; readonly category: "knowledge" | "preference" }
  | { readonly kind: "recall"; readonly query: string }
  | { readonly kind: "blocks"; readonly category?: string }
  | { readonly kind: "block"; readonly type: string }
  | {
      readonly kind: "schedule";
      readonly task: string;
      readonly timing: Timing;
      readonly spoken: string;
      /** At one time of the day, on these days or on all. */
      readonly daily?: { readonly at: string; readonly days?: readonly Weekday[] };
    }
  /** A camera to be written down. */
  | {
      readonly kind: "camera";
      readonly name?: string;
      readonly source?: string;
      /** The one of that name gets this address. */
      readonly isChange?: boolean;
    }
  /** Understood, and not possible here. */
  | {
      readonly kind: "beyond";
      readonly what: string;
      readonly instead: string;
      readonly modelHelps: boolean;
      readonly query?: string;
    };

/** Probability of each kind; together 1. */
export type KindScores = Readonly<Record<SentenceKind, number>>;

/** What a sentence is, before anything it names is read. */
export interface Judgement {
  /** Its plain words, with marks for cameras (`@c`), things (`@thing`), figures (`@n`) and addresses. */
  readonly words: readonly string[];
  readonly kind: SentenceKind;
  readonly scores: KindScores;
  /** By its form it is a question, whatever else it holds. */
  readonly asks: boolean;
  /** It is no English. */
  readonly isForeign: boolean;
}

/** "The dog one": which of those that are there is spoken of, and what else is said of it. */
export interface Called {
  readonly phrase: string;
  readonly named: Pick<Slots, "cameras" | "classes" | "together">;
  readonly slots: Slots;
}

/** One thing a person says, with what it names. */
export interface Clause {
  readonly judged: Judgement;
  /** Of all its words, where several sentences make one wish. */
  readonly judgedWhole?: Judgement;
  readonly act: Act;
  readonly slots: Slots;
  readonly called?: Called | undefined;
  /** What has to happen after it, one after the other. */
  readonly then?: readonly Clause[];
  /** As it was written. */
  readonly words: string;
  /** Plain words without what the slots took. */
  readonly bare: string;
}

/** A running pipeline as the interpreter knows it. */
export interface KnownPipeline {
  readonly name: string;
  readonly camera: string;
  /** It counts across a line. */
  readonly counts: boolean;
}

export interface KnownCamera {
  readonly name: string;
  /** Where it hangs and what is noted about it, so that "the door" finds the camera at the front door. */
  readonly about?: string;
  /** What its detector can find; absent when nobody knows. */
  readonly classes?: readonly string[];
  /** Its zones and lines that have a name. */
  readonly places?: readonly CameraPlace[];
}

/** What was used on one day, in the zone of the app. */
export interface UsedOnDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd: number;
}

/** An alert, and whether it got through. */
export interface ToldAlert {
  readonly timestamp: string;
  readonly camera: string;
  readonly text: string;
  readonly failures: readonly { readonly channel: string; readonly reason: string }[];
}

/** The names of this app, and what it knows of itself. */
export interface Known {
  /** Newest first; absent when nobody keeps it. */
  readonly usage?: { readonly days: readonly UsedOnDay[]; readonly limitMicroUsd: number };
  /** Newest first. */
  readonly alerts?: readonly ToldAlert[];
  readonly mode?: CurrentMode;
  readonly cameras: readonly KnownCamera[];
  readonly pipelines: readonly KnownPipeline[];
  /** The workspace of the person's saved workflows, where it is known. */
  readonly workspace?: string;
}
