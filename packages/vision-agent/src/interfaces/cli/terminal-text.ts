// words of cameras, models and other people → what a terminal prints and does not obey

/** Colours of this program. Line breaks and tabs stay; what moves the cursor or turns the writing round goes. */
const OBEYED = new RegExp(
  "(\\u001b\\[(?:1|2|22|31|32|33|36|39)m)|[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f" +
    "\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]",
  "g",
);

export function printable(text: string): string {
  return text.replace(OBEYED, "$1");
}
