// what changed, as it was and as it became → a line for each thing, or one for many of a kind
import { cameraSchema, type Effect, modeChangeSchema, type Watch, watchSchema } from "@vision-agent/protocol";
import { differences } from "../../watches/watch-differences.ts";

/** One thing that was changed. The states are absent where it was not there, or is not kept. */
export interface ChangedThing {
  readonly effect: Effect;
  readonly before?: unknown;
  readonly after?: unknown;
}

interface Line {
  readonly text: string;
  /** Said once for many: "Muted 14 watches." */
  readonly verb: string;
  readonly what: Effect["what"];
}

/** More of the same than this become one line. */
const MOST_LINES = 3;

export function changesInWords(things: readonly ChangedThing[]): readonly string[] {
  const lines = things.map(lineOf);
  return [...Map.groupBy(lines, ({ verb, what }) => `${verb} ${what}`).values()].flatMap((same) => {
    const texts = [...new Set(same.map(({ text }) => text))];
    const [first] = same;
    if (texts.length <= MOST_LINES || first === undefined) return texts;
    return [`${first.verb} ${same.length} ${pluralOf(first.what)}.`];
  });
}

function lineOf({ effect, before, after }: ChangedThing): Line {
  const { what, kind, text } = effect;
  const usual = { what, verb: `${kind[0]?.toUpperCase()}${kind.slice(1)}`, text };
  if (before === undefined || after === undefined) return usual;
  if (what === "watch")
    return watchLine(watchSchema.safeParse(before).data, watchSchema.safeParse(after).data) ?? usual;
  if (what === "mode") {
    const [was, is] = [before, after].map((one) => modeChangeSchema.safeParse(one).data?.mode);
    return was && is && was !== is ? { ...usual, text: `Changed the mode: ${was} → ${is}.` } : usual;
  }
  return what === "camera" && kind === "changed" ? { ...usual, text: cameraText(effect.name, before, after) } : usual;
}

function watchLine(before: Watch | undefined, after: Watch | undefined): Line | undefined {
  if (before === undefined || after === undefined) return undefined;
  const name = `“${after.words}”`;
  const line = (verb: string, more = ""): Line => ({ what: "watch", verb, text: `${verb} ${name}${more}.` });
  const changed = differences(before, after);
  if (before.enabled !== after.enabled) return line(after.enabled ? "Resumed" : "Paused");
  if (changed.length === 1 && before.muted_until !== after.muted_until) {
    return line(after.muted_until === undefined ? "Unmuted" : "Muted");
  }
  const words = changed.map(({ what, before: was, after: is }) => `${what} ${was} → ${is}`);
  return line("Changed", words.length === 0 ? "" : `: ${words.join("; ")}`);
}

function cameraText(name: string, before: unknown, after: unknown): string {
  const [was, is] = [before, after].map((one) => cameraSchema.safeParse(one).data);
  const said = (["source", "location", "notes"] as const).flatMap((key) =>
    was?.[key] === is?.[key] ? [] : `${key} ${was?.[key] || "none"} → ${is?.[key] || "none"}`,
  );
  const masks = JSON.stringify(was?.masks ?? []) === JSON.stringify(is?.masks ?? []) ? [] : ["masks"];
  const all = [...said, ...masks].join("; ");
  return `Changed the camera ${name}${all === "" ? "" : `: ${all}`}.`;
}

function pluralOf(what: Effect["what"]): string {
  return what === "watch" ? "watches" : `${what}s`;
}
