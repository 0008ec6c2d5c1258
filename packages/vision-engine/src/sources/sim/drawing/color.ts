const shades = new Map<string, string>();

/** A `#rrggbb` colour in more (above 1) or less (below 1) light. */
export function shade(color: string, light: number): string {
  const step = Math.round(light * 40);
  const key = `${color}${step}`;
  const known = shades.get(key);
  if (known !== undefined) return known;
  const value = Number.parseInt(color.slice(1), 16);
  const lit = (shift: number): number => {
    const channel = (value >> shift) & 255;
    return Math.round(step <= 40 ? (channel * step) / 40 : channel + (255 - channel) * Math.min(1, step / 40 - 1));
  };
  const shaded = `rgb(${lit(16)},${lit(8)},${lit(0)})`;
  shades.set(key, shaded);
  return shaded;
}
