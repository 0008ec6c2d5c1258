// undo, test_watch, and cameras that are renamed or go
import type { WatchReport } from "@vision-agent/protocol";
import { oneOrAll } from "../clauses/pointed-at.ts";
import type { Slots } from "../intent.ts";
import { chooseCameras } from "./choose.ts";
import { type App, ask, endWith, type Made, need, type Plan, type Steps, say, type WishOf } from "./plan.ts";
import { labelOf, meantBy } from "./quiet.ts";

export function* planUndo({ clause: { act } }: WishOf<"undo">): Plan {
  const { text } = yield* need("undo", {
    args: act.again ? { redo: true } : {},
    will: act.again ? "do again what was undone last" : "undo the last change",
    failed: "I could not undo anything",
  });
  return say(text);
}

interface Choice {
  readonly slots: Slots;
  readonly words: string;
  readonly made: readonly Made[];
}

/** The one watch that is meant; else the plan ends with the question which. */
export function* chooseWatch({ slots, words, made }: Choice): Steps<WatchReport> {
  const { watches } = yield* need("list_watches", { failed: "I could not find out what is watched" });
  const meant = meantBy(watches, { slots, words, touched: made });
  const [only, another] = oneOrAll(meant, words) ?? meant;
  if (only !== undefined && another === undefined) return only;
  if (watches.length === 0)
    return yield* endWith(
      say('No watch is set up. Say what you want to be told of, such as "tell me when a person appears".'),
    );
  const lines = watches.map((watch) => `- ${labelOf(watch)}`);
  return yield* endWith(ask(`Which watch do you mean? Say it with its name.\n${lines.join("\n")}`));
}

export function* planTrial({ clause: { act, slots } }: WishOf<"trial">, _: App, made: readonly Made[]): Plan {
  const watch = yield* chooseWatch({ slots, words: act.words, made });
  const { text } = yield* need("test_watch", {
    args: { watch_id: watch.id },
    will: `send you a test alert of ${labelOf(watch)}`,
    failed: "I could not send a test alert",
  });
  return say(text);
}

/** "Call the left half of the yard the driveway." */
export function* planPlace({ clause: { act, slots } }: WishOf<"place">, { known }: App): Plan {
  const { name, where, zone, line } = act;
  const [camera, another] = yield* chooseCameras(slots, known);
  if (another !== undefined) return ask("A place lies on one camera. Which one do you mean?");
  const { place } = yield* need("save_place", {
    args: { camera, name, zone, line },
    will: `call ${where} on ${camera} ${name}`,
    failed: "I could not do that",
  });
  const does = line === undefined ? "enters" : "crosses";
  return say(
    `On ${camera}, ${where} is called ${place.name} now. Say for example "tell me when a person ${does} the ${place.name}".`,
  );
}

export function* planRename({ clause: { act } }: WishOf<"rename">): Plan {
  const { camera, name } = act;
  const failed = "I could not do that";
  if (name === undefined)
    return say(
      (yield* need("remove_camera", { args: { name: camera }, will: `remove the camera ${camera}`, failed })).text,
    );
  const args = { name: camera, new_name: name };
  return say((yield* need("save_camera", { args, will: `rename the camera ${camera} to ${name}`, failed })).text);
}
