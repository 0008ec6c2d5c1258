// size of a picture → size at which a provider's model sees it
import { roundHalfEven } from "../../geometry/points.ts";
import { fitToMaxEdge } from "../../query/scale-detections.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

const OPENAI_MAX_EDGE = 2048;
const CLAUDE_MAX_EDGE = 2576;
const CLAUDE_MAX_TILES = 4784;
const CLAUDE_TILE = 28;

export function openaiUploadSize({ width, height }: Size): Size {
  const [fitWidth, fitHeight] = fitToMaxEdge(width, height, OPENAI_MAX_EDGE);
  return { width: fitWidth, height: fitHeight };
}

/** The largest size with the same shape whose tiles Claude takes. */
export function claudeUploadSize({ width, height }: Size): Size {
  if (fitsClaude(width, height)) return { width, height };
  if (height > width) {
    const turned = claudeUploadSize({ width: height, height: width });
    return { width: turned.height, height: turned.width };
  }
  const heightFor = (candidate: number): number => Math.max(roundHalfEven(candidate / (width / height)), 1);
  let low = 1;
  let high = width;
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (fitsClaude(middle, heightFor(middle))) low = middle;
    else high = middle;
  }
  return { width: low, height: heightFor(low) };
}

function fitsClaude(width: number, height: number): boolean {
  const [across, down] = [Math.ceil(width / CLAUDE_TILE), Math.ceil(height / CLAUDE_TILE)];
  const longest = Math.max(across, down) * CLAUDE_TILE;
  return longest <= CLAUDE_MAX_EDGE && across * down <= CLAUDE_MAX_TILES;
}
