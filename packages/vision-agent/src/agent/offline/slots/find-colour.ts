// "a red car", "somebody in red" → the colour
import { type Colour, colourSchema } from "@vision-agent/protocol";
import { classesAt } from "../words/class-words.ts";

const SPELLINGS: Readonly<Record<string, Colour>> = {
  ...Object.fromEntries(colourSchema.options.map((colour) => [colour, colour])),
  gray: "grey",
};
const WORN = /^(?:in|wearing|with)(?: an?| the)?$/;

/** Of all the things that are named; undefined where several colours are, or it is of something else. */
export function findColour(text: string): Colour | undefined {
  const words = text.split(" ");
  const places = [...words.keys()].filter((at) => Object.hasOwn(SPELLINGS, words[at]!));
  const [at] = places;
  if (at === undefined || places.length > 1) return undefined;
  const isBefore = classesAt(words, at + 1).length > 0;
  const isWorn = [1, 2].some((length) => WORN.test(words.slice(Math.max(0, at - length), at).join(" ")));
  return isBefore || isWorn ? SPELLINGS[words[at]!] : undefined;
}
