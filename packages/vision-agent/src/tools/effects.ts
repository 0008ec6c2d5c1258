// what a call changed, read back from where it is kept → one effect, with its line and link
import type { Alert, CurrentMode, Effect, PipelineStatus, Task, Watch } from "@vision-agent/protocol";

type EffectKind = Effect["kind"];

const LONGEST_NAME = 120;

export function pipelineEffect(kind: EffectKind, { pipeline_id, name, video_reference }: PipelineStatus): Effect {
  return toEffect(kind, "pipeline", { id: pipeline_id, name, camera: video_reference, link: "/" });
}

/** `difference`: what is different now, such as `cooldown 30 s → 300 s`. */
export function watchEffect(
  kind: EffectKind,
  { id, words, cameras }: Pick<Watch, "id" | "words" | "cameras">,
  difference = "",
): Effect {
  const about = { id, name: `"${shorten(words)}"`, camera: cameras.join(", "), link: `/watches/${id}` };
  const effect = toEffect(kind, "watch", about);
  return difference === "" ? effect : { ...effect, text: effect.text.replace(/\.$/, `: ${difference}.`) };
}

export function alertEffect({ id, text, camera }: Alert): Effect {
  return toEffect("sent", "alert", { id, name: `"${shorten(text)}"`, camera, link: `/alerts/${id}` });
}

export function taskEffect(kind: EffectKind, { id, instructions }: Pick<Task, "id" | "instructions">): Effect {
  return toEffect(kind, "task", { id, name: `"${shorten(instructions)}"`, link: `/jobs/${id}` });
}

export function cameraEffect(kind: EffectKind, name: string, was?: string): Effect {
  const called = was === undefined ? name : `${was} to ${name}`;
  const effect = toEffect(kind, "camera", { id: name, name: called, link: "/settings/cameras" });
  return was === undefined ? effect : { ...effect, was };
}

export function placeEffect(kind: EffectKind, camera: string, name: string): Effect {
  return toEffect(kind, "place", { id: placeId(camera, name), name, camera, link: "/settings/cameras" });
}

/** A place is known by its camera and its name. */
export function placeId(camera: string, name: string): string {
  return `${camera}/${name}`;
}

export function modeEffect({ mode }: CurrentMode): Effect {
  return toEffect("changed", "mode", { id: mode, name: `to ${mode}`, link: "/settings" });
}

export function limitEffect(words: string): Effect {
  return toEffect("changed", "limit", {
    id: "spending",
    name: `of spending: ${words.replace(/\.$/, "")}`,
    link: "/cost",
  });
}

export function removedNoteEffect({
  path,
  line,
  text,
  camera,
}: {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly camera?: string | undefined;
}): Effect {
  return toEffect("removed", "note", {
    id: `${path}:${line}`,
    name: `"${shorten(text)}"`,
    camera: camera ?? "",
    link: "/notes",
  });
}

export function noteEffect(
  place: { readonly path: string; readonly line: number },
  content: string,
  camera = "",
): Effect {
  const id = `${place.path}:${place.line}`;
  return toEffect("remembered", "note", { id, name: `"${shorten(content)}"`, camera, link: "/notes" });
}

export function historyEffect(found: string, camera = ""): Effect {
  return toEffect("removed", "history", { id: camera || "all", name: found, camera, link: "/timeline" });
}

const LINKS: Partial<Record<Effect["what"], string>> = {
  camera: "/settings/cameras",
  place: "/settings/cameras",
  limit: "/cost",
};

/** Of something that was found changed; who changed it can no longer tell. */
export function foundEffect(
  what: Effect["what"],
  id: string,
  { before, now }: { readonly before: unknown; readonly now: unknown },
): Effect {
  const state = now ?? before;
  const said =
    typeof state === "object" && state !== null && "words" in state ? `"${shorten(String(state.words))}"` : id;
  const changed = now === undefined ? "removed" : "changed";
  const kind = before === undefined ? "created" : changed;
  return toEffect(kind, what, { id, name: said, link: LINKS[what] ?? "/" });
}

interface Subject {
  readonly id: string;
  readonly name: string;
  /** Empty when it is about no camera. */
  readonly camera?: string;
  readonly link: string;
}

function toEffect(kind: EffectKind, what: Effect["what"], { id, name, camera = "", link }: Subject): Effect {
  const verb = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
  const text = `${verb} ${what} ${name}${camera === "" ? "" : ` on ${camera}`}.`;
  return { kind, what, id, name: name.replace(/^"(.*)"$/s, "$1"), ...(camera !== "" && { camera }), text, link };
}

function shorten(words: string): string {
  const line = words.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME)}…` : line;
}
