// plain English + the names of the house → what is wanted
import { findClasses, joinWords, plural } from "./class-words.ts";
import { type CameraMention, findCamera } from "./find-camera.ts";
import type { Intent, Known, LinePlacement } from "./intent.ts";

interface Reading {
  /** Lower case, without punctuation. */
  readonly text: string;
  readonly classes: readonly string[];
  readonly camera: CameraMention;
  readonly known: Known;
}

type Rule = (reading: Reading) => Intent | undefined;

/** Reads one instruction. The first rule that knows what is meant decides. */
export function parseInstruction(instruction: string, known: Known): Intent {
  const text = toPlainWords(instruction);
  const camera = findCamera(text, known.cameras);
  const classes = findClasses(camera.rest.split(" "));
  const reading = { text, classes, camera, known };
  for (const rule of RULES) {
    const intent = rule(reading);
    if (intent !== undefined) return intent;
  }
  return { kind: "unknown" };
}

/** Lower case; quotes and sentence marks go, what can be part of a name stays. */
export function toPlainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .replace(/\b(what|who|where|how|there)s\b/g, "$1's")
    .replace(/\bdont\b/g, "don't")
    .replace(/[^\p{L}\p{N}'_.-]+|\.(?=\s|$)/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

const BEYOND: readonly (readonly [RegExp, string, string])[] = [
  [/\b(zone|area|region)s?\b/, "draw a zone from words", 'Say "watch street for people" to watch the whole picture.'],
  [/\b(pause|resume|continue)\b/, "pause or resume by words", "Stopping and starting by words works."],
  [
    /\b(at night|only (at|on|between)|every (hour|day|morning|night|week)|tomorrow|at \d+( ?(am|pm)| o'clock))\b/,
    "keep times of day",
    "What I start runs until it is stopped.",
  ],
  [
    /\b(yesterday|last (night|week|hour)|this morning|earlier|history|happened|in the last|ago)\b/,
    "search the past by words",
    "The strip below the picture in the dashboard shows the last minutes.",
  ],
  [
    /\b(remember|don't forget|e-?mail|text me|sms|slack|telegram|call me)\b/,
    "do that",
    "I can look, count, watch and stop.",
  ],
  [
    /\b(helmet|hard ?hat|vest|ppe|license plate|number plate|face|colou?r|wearing|read the|what does it say|who is)\b/,
    "tell such details",
    "I know classes of things, such as person or car, and can count them.",
  ],
];

const RULES: readonly Rule[] = [
  readStop,
  readTotals,
  readCameras,
  readList,
  readBeyond,
  readStart,
  readLook,
  readSmallTalk,
  readBareCamera,
];

const STOPS = [
  /\b(stop|halt|cancel|end|quit|turn off|switch off|shut (down|off)|kill)\b/,
  /\b(remove|delete|clear)\b.*\b(everything|all|pipelines?|counts?|watch(es)?)\b/,
  /\b(don't|do not|no longer|never)\b.*\b(count|watch|track|monitor|observe|tell|alert|notify)\b/,
];

function readStop({ text, camera, known }: Reading): Intent | undefined {
  if (!STOPS.some((pattern) => pattern.test(text))) return undefined;
  if (/\bstop signs?\b/.test(text) || /^(why|when|did|has|have|how)\b/.test(text)) return undefined;
  if (/\b(don't|do not|never) (stop|end|cancel|quit)\b/.test(text)) return undefined;
  if (camera.kind === "known") return { kind: "stop", target: { kind: "camera", camera: camera.name } };
  if (/\b(everything|all|every|both)\b/.test(text)) return { kind: "stop", target: { kind: "everything" } };
  const [counting, another] = known.pipelines.filter(({ counts }) => counts);
  const named = known.pipelines.some(({ name }) => namesPipeline(text, name));
  const onlyCount = /\bcount(s|ing)?\b/.test(text) && !named && another === undefined ? counting : undefined;
  return { kind: "stop", target: { kind: "words", words: onlyCount ? toPlainWords(onlyCount.name) : text } };
}

const TOTALS =
  /\b(how many|number of|the (count|total|numbers)|count so far|results?|what (did|have) you count(ed)?|(who|what) (has |have )?(crossed|passed))\b/;

function readTotals(reading: Reading): Intent | undefined {
  const { text, classes, camera, known } = reading;
  if (!TOTALS.test(text) || /\bcameras\b/.test(text)) return undefined;
  const crossing =
    /\b(cross\w*|pass\w*|went|gone|walked|drove|count|counted|so far|total|in and out|in or out|results?)\b/.test(text);
  if (camera.kind === "unknown") return unknownCamera(camera.name, known);
  const here = known.pipelines.filter((pipeline) => namesPipeline(text, pipeline.name));
  if (here.length > 0) return { kind: "totals", pipelines: here.map(({ name }) => name), classes };
  const counting = known.pipelines.filter(
    (pipeline) => pipeline.counts && (camera.kind !== "known" || pipeline.camera === camera.name),
  );
  if (counting.length > 0 && (crossing || camera.kind === "none")) {
    return { kind: "totals", pipelines: counting.map(({ name }) => name), classes };
  }
  if (crossing) {
    const place = camera.kind === "known" ? ` on ${camera.name}` : "";
    const example = `count people on ${camera.kind === "known" ? camera.name : (known.cameras[0] ?? "street")}`;
    return { kind: "ask", question: `Nothing counts${place} at the moment. Say "${example}" to begin.` };
  }
  return withCamera(reading, (name) => ({ kind: "look", camera: name, classes, howMany: true }));
}

function readCameras({ text }: Reading): Intent | undefined {
  const asked = /\b(what|which|list|show|how many|name)\b.*\bcameras\b|^(all )?(my |the )?cameras$/.test(text);
  return asked && !/\b(running|active|watch\w*|count\w*|see|on)\b/.test(text) ? { kind: "cameras" } : undefined;
}

function readList({ text }: Reading): Intent | undefined {
  const asked =
    /\b(list|status)\b/.test(text) ||
    /\b(what|which|anything)\b.*\b(running|active|pipelines?|watches|jobs)\b/.test(text) ||
    /\b(what )?are you (doing|watching|counting|running)\b/.test(text);
  return asked ? { kind: "list" } : undefined;
}

function readBeyond({ text }: Reading): Intent | undefined {
  const found = BEYOND.find(([pattern]) => pattern.test(text));
  return found === undefined ? undefined : { kind: "beyond", what: found[1], instead: found[2] };
}

/** A question changes nothing, whatever words it holds. */
const QUESTION =
  /^(what|which|who|why|where|how (many|much|long|often)|when (did|do|was|were)|did|do you|does|has|have you|was|were|is|are)\b/;

function readStart(reading: Reading): Intent | undefined {
  const { text, classes, camera } = reading;
  if (QUESTION.test(text)) return undefined;
  const alert = /\b(tell me|alert me|notify me|let me know|warn me|inform me)\b/.test(text);
  const count = /\b(count|tally|counting)\b/.test(text) || (alert && /\bcross\w*\b/.test(text));
  const watch = alert || /\b(watch|monitor|observe|track|detect|look out|keep an eye|guard)\b/.test(text);
  if (!count && !watch) return undefined;
  if (alert && !/\b(when|if|whenever|as soon as|every time|about)\b/.test(text)) return undefined;
  if (classes.length === 0 && !/\b(everything|anything|something|things?|objects?|movement)\b/.test(text)) {
    const what = unknownThing(camera.rest);
    if (what !== undefined) {
      const question = `I do not know the class "${what}". I know ${joinWords(["person", "car", "bicycle", "truck", "dog", "package"].map(plural))} and other common things. What shall I look for?`;
      return { kind: "ask", question };
    }
  }
  return withCamera(reading, (name) =>
    count
      ? { kind: "count", camera: name, classes, line: linePlacement(text), alert }
      : { kind: "watch", camera: name, classes },
  );
}

function readLook(reading: Reading): Intent | undefined {
  const { text, classes } = reading;
  const asked =
    /\b(see|show|look|describe|snapshot|picture|photo|image|capture|view|find|display)\b/.test(text) ||
    /\b(is|are) (there|any|anyone|anybody|someone|somebody)\b|\bis (that|the)\b/.test(text) ||
    /\bwhat('s| is| are)?( is)? (there|happening|going on|on|in|at|up)\b|\bwhat happens\b/.test(text) ||
    /^(is )?(anything|something) (new|happening|going on)\b/.test(text) ||
    /^(any|anyone|anybody)\b/.test(text);
  return asked ? withCamera(reading, (name) => ({ kind: "look", camera: name, classes, howMany: false })) : undefined;
}

function readSmallTalk({ text }: Reading): Intent | undefined {
  if (/\b(help|what can (you|i)|how (do|does|can)|commands|who are you|what are you|examples?)\b/.test(text)) {
    return { kind: "help" };
  }
  if (/^(hello|hi|hey|hallo|good (morning|afternoon|evening|day)|greetings)\b/.test(text)) return { kind: "greeting" };
  return /\b(thanks|thank you|thx|cheers)\b/.test(text) ? { kind: "thanks" } : undefined;
}

function readBareCamera({ camera }: Reading): Intent | undefined {
  const bare = camera.kind === "known" && camera.rest === "";
  return bare ? { kind: "look", camera: camera.name, classes: [], howMany: false } : undefined;
}

/** The camera that is meant: the one named, the only one, or the only one on which something runs. Else a question. */
function withCamera({ camera, known }: Reading, then: (name: string) => Intent): Intent {
  if (camera.kind === "known") return then(camera.name);
  if (camera.kind === "unknown") return unknownCamera(camera.name, known);
  if (known.cameras.length === 0) {
    return { kind: "ask", question: "No camera is set up. Add one to CAMERAS.md in the workspace." };
  }
  const busy = known.cameras.filter((name) => known.pipelines.some((pipeline) => pipeline.camera === name));
  const [only, another] = known.cameras.length === 1 ? known.cameras : busy;
  if (only !== undefined && another === undefined) return then(only);
  return { kind: "ask", question: `Which camera do you mean: ${known.cameras.join(", ")}?` };
}

function unknownCamera(name: string, known: Known): Intent {
  const names =
    known.cameras.length === 0
      ? "There are none yet."
      : `There ${known.cameras.length === 1 ? "is" : "are"} ${joinWords(known.cameras)}.`;
  return { kind: "ask", question: `I do not know a camera called "${name}". ${names} Which one do you mean?` };
}

function linePlacement(text: string): LinePlacement {
  const edge = /\b(top|upper|bottom|lower|left|right)\b/.exec(text)?.[1];
  if (edge === "top" || edge === "upper") return "top";
  if (edge === "bottom" || edge === "lower") return "bottom";
  if (edge === "left" || edge === "right") return edge;
  return /\bhorizontal(ly)?\b/.test(text) ? "horizontal" : "vertical";
}

/** The thing after "count" or "for" that is no class; undefined when nothing is named there. */
function unknownThing(text: string): string | undefined {
  const match = /\b(?:count|counting|for|detect|track)\s+(?:the\s+|all\s+|any\s+|an?\s+|some\s+)?([\p{L}-]{3,})/u.exec(
    text,
  );
  const word = match?.[1];
  return word === undefined || /^(me|the|how|what|crossing|crossings|going|please|camera|now)$/.test(word)
    ? undefined
    : word;
}

function namesPipeline(text: string, name: string): boolean {
  return ` ${text} `.includes(` ${toPlainWords(name)} `);
}
