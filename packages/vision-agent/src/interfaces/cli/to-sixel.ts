// pixels → sixels: bands of six rows, one run-length coded line for each colour of a band

export interface Pixels {
  /** Red, green, blue; row after row. */
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Levels of each channel: 216 colours, which every sixel terminal has. */
const LEVELS = 6;
const BAND = 6;

export function toSixel({ rgb, width, height }: Pixels): string {
  const colours = Uint8Array.from({ length: width * height }, (_, at) => colourAt(rgb, at * 3));
  const used = [...new Set(colours)].sort((a, b) => a - b);
  const palette = used.map((colour) => `#${colour};2;${channels(colour).join(";")}`).join("");
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) bands.push(toBand(colours, { top, width, height }));
  return `\u001bP0;1q"1;1;${width};${height}${palette}${bands.join("-")}\u001b\\`;
}

function colourAt(rgb: Uint8Array, at: number): number {
  const level = (value: number): number => Math.round((value / 255) * (LEVELS - 1));
  return (level(rgb[at]!) * LEVELS + level(rgb[at + 1]!)) * LEVELS + level(rgb[at + 2]!);
}

/** In percent, as sixel wants them. */
function channels(colour: number): readonly number[] {
  const levels = [Math.floor(colour / (LEVELS * LEVELS)), Math.floor(colour / LEVELS) % LEVELS, colour % LEVELS];
  return levels.map((level) => Math.round((level * 100) / (LEVELS - 1)));
}

function toBand(
  colours: Uint8Array,
  { top, width, height }: { readonly top: number; readonly width: number; readonly height: number },
): string {
  const columns = new Map<number, Uint8Array>();
  for (let row = 0; row < Math.min(BAND, height - top); row += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = colours[(top + row) * width + x]!;
      const bits = columns.get(colour) ?? new Uint8Array(width);
      columns.set(colour, bits);
      bits[x]! |= 1 << row;
    }
  }
  return [...columns].map(([colour, bits]) => `#${colour}${toRuns(bits)}`).join("$");
}

function toRuns(bits: Uint8Array): string {
  let text = "";
  for (let x = 0; x < bits.length; ) {
    let end = x + 1;
    while (end < bits.length && bits[end] === bits[x]) end += 1;
    const sixel = String.fromCharCode(63 + bits[x]!);
    text += end - x > 3 ? `!${end - x}${sixel}` : sixel.repeat(end - x);
    x = end;
  }
  return text;
}
