import type { LinePattern, PicturePlace, ZonePattern } from "../expectation.ts";

/** How far apart the ends may be across the direction, as a share of the length. */
const SLANT = 0.25;

export function fitsLine({ through, runs, within }: LinePattern, line: readonly PicturePlace[] | undefined): boolean {
  const [start, end] = line ?? [];
  if (start === undefined || end === undefined) return false;
  return (
    (through === undefined || distanceTo(through, start, end) <= within) &&
    (runs === undefined || directionOf(start, end) === runs)
  );
}

function directionOf([x1, y1]: PicturePlace, [x2, y2]: PicturePlace): "horizontal" | "vertical" | "slanted" {
  const [across, down] = [Math.abs(x2 - x1), Math.abs(y2 - y1)];
  if (down <= across * SLANT) return "horizontal";
  return across <= down * SLANT ? "vertical" : "slanted";
}

function distanceTo([x, y]: PicturePlace, [x1, y1]: PicturePlace, [x2, y2]: PicturePlace): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

export function fitsZone({ holds, leaves_out }: ZonePattern, zone: readonly PicturePlace[] | undefined): boolean {
  if (zone === undefined || zone.length < 3) return false;
  return holds.every((place) => isInside(place, zone)) && !leaves_out.some((place) => isInside(place, zone));
}

/** By the number of edges that a ray to the right crosses. */
function isInside([x, y]: PicturePlace, zone: readonly PicturePlace[]): boolean {
  const crossed = zone.filter(([x1, y1], index) => {
    const [x2, y2] = zone[(index + 1) % zone.length]!;
    return y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1;
  });
  return crossed.length % 2 === 1;
}
