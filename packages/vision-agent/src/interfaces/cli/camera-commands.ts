// camera mask → the API of an app → what is hidden of a camera, in words or JSON
import type { Camera, CameraRecording } from "@vision-agent/protocol";
import { type RunAppCommand, show } from "./app-command.ts";
import { UsageError } from "./exit-codes.ts";
import { toDate } from "./list-text.ts";

/** Shows the masks of a camera, sets them or removes them. */
export const maskCamera: RunAppCommand = async (options, { words: [name = ""], options: { set, clear } }) => {
  const { client } = options;
  if (set !== undefined && clear) throw new UsageError("Give --set or --clear, not both.");
  const path = `/api/cameras/${encodeURIComponent(name)}`;
  const masks = set === undefined ? [] : parseMasks(set);
  const camera =
    set === undefined && !clear ? await client.get<Camera>(path) : await client.send<Camera>("PATCH", path, { masks });
  return show(options, camera, describeMasks);
};

/** With everything that belongs to it. */
export const renameCamera: RunAppCommand = async (options, { words: [name = "", wanted = ""] }) => {
  const path = `/api/cameras/${encodeURIComponent(name)}`;
  const camera = await options.client.send<Camera>("PATCH", path, { name: wanted });
  const text = (now: Camera): string => `${name} is called ${now.name} now, with its watches, places and all it saw.\n`;
  return show(options, camera, text);
};

export const removeCamera: RunAppCommand = async (options, { words: [name = ""], options: { force } }) => {
  const path = `/api/cameras/${encodeURIComponent(name)}${force ? "?force=true" : ""}`;
  const camera = await options.client.send<Camera>("DELETE", path);
  const gone = (one: Camera): string =>
    `${one.name} is removed, with its watches and pipelines. To get it back: vision-agent undo\n`;
  return show(options, camera, gone);
};

/** Shows whether a camera is recorded, or changes it. */
export const recordCamera: RunAppCommand = async (options, { words: [name = "", wanted] }) => {
  const path = `/api/cameras/${encodeURIComponent(name)}/recording`;
  if (wanted !== undefined && wanted !== "" && wanted !== "on" && wanted !== "off")
    throw new UsageError(`"${wanted}" is neither on nor off.`);
  const recording = wanted
    ? await options.client.send<CameraRecording>("PUT", path, { on: wanted === "on" })
    : await options.client.get<CameraRecording>(path);
  return show(options, recording, describeRecording);
};

function describeRecording({ camera, on, reason, bytes, since }: CameraRecording): string {
  const isCopied = on && reason === undefined;
  const why = on && reason !== undefined ? `: ${reason.replace(/\.$/, "")}` : "";
  const kept = since === undefined ? "" : ` There are ${Math.round(bytes / 1e6)} MB since ${toDate(since)}.`;
  return `${camera} is ${isCopied ? "" : "not "}recorded${why}.${kept}\n`;
}

type Place = readonly [x: number, y: number];

/** `0,0 0.4,0 0.4,0.3; 0.8,0 1,0 1,0.2` → polygons. Throws `UsageError`. */
function parseMasks(text: string): readonly (readonly Place[])[] {
  return text.split(";").map((polygon) => {
    const places = polygon.trim().split(/\s+/).map(parsePlace);
    if (places.length < 3) throw new UsageError("A mask has at least three corners, such as 0,0 0.4,0 0.4,0.3.");
    return places;
  });
}

function parsePlace(text: string): Place {
  const [x, y, ...more] = text.split(",").map((part) => (part === "" ? Number.NaN : Number(part)));
  const isShare = (value: number | undefined): value is number => value !== undefined && value >= 0 && value <= 1;
  if (isShare(x) && isShare(y) && more.length === 0) return [x, y];
  throw new UsageError(`"${text}" is no corner: write two numbers from 0 to 1, such as 0.4,0.3.`);
}

function describeMasks({ name, masks = [] }: Camera): string {
  if (masks.length === 0) return `${name} has no masks: all of its picture is seen.\n`;
  const lines = masks.map((mask) => `  ${mask.map(([x, y]) => `${x},${y}`).join(" ")}\n`);
  return `${name} is masked here:\n${lines.join("")}`;
}
