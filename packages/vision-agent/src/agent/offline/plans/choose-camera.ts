// named, only or busy camera → the cameras that are meant, else a question

import type { Known, Slots } from "../intent.ts";
import { joinWords } from "../words/class-words.ts";
import { ask, type Outcome } from "./plan.ts";

export type Chosen = { readonly cameras: readonly string[] } | { readonly question: Outcome };

/** The cameras that are named, the only one, or the only one on which something runs. */
export function chooseCameras(slots: Slots, known: Known): Chosen {
  if (slots.cameras.length > 0) return { cameras: slots.cameras };
  if (slots.unknownCamera !== undefined) return { question: ask(unknownCamera(slots.unknownCamera, known)) };
  const names = known.cameras.map(({ name }) => name);
  if (names.length === 0) return { question: ask("No camera is set up. Add one to CAMERAS.md in the workspace.") };
  const busy = names.filter((name) => known.pipelines.some(({ camera }) => camera === name));
  const [only, another] = names.length === 1 ? names : busy;
  if (only !== undefined && another === undefined) return { cameras: [only] };
  return { question: ask(`Which camera do you mean: ${names.join(", ")}?`) };
}

export function unknownCamera(name: string, { cameras }: Known): string {
  const names = cameras.map((camera) => camera.name);
  const there =
    names.length === 0 ? "There are none yet." : `There ${names.length === 1 ? "is" : "are"} ${joinWords(names)}.`;
  return `I do not know a camera called "${name}". ${there} Which one do you mean?`;
}

/** An address that is no camera of the app: pipelines run on it, watches do not. */
export function isCamera(name: string, { cameras }: Known): boolean {
  return cameras.some((camera) => camera.name === name);
}
