// value of a frame → value of an earlier frame of the same video
import { inputError } from "../../errors.ts";
import type { Block, BlockValue } from "../block.ts";
import { imageOf, numberOf } from "../block-inputs.ts";
import { keptValue } from "../kept-value.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

/** Every value that can still be asked for is kept. */
const FURTHEST_OFFSET = -256;
const MAX_VIDEOS = 16;

interface History {
  readonly values: Map<number, BlockValue>;
  newest: number;
  /** How far back somebody has asked. */
  reach: number;
}

export const frameDelay: Block = {
  manifest: manifestOf("roboflow_core/frame_delay@v1"),
  description: "Gives the value that a step had some frames ago in the same video.",
  phrase: ({ properties }) => `looks back ${properties.offset} frames`,
  create: ({ now }) => {
    const histories = new Map<string, History>();
    return {
      run(inputs) {
        const offset = offsetOf(Math.trunc(numberOf(inputs, "offset")));
        const { videoIdentifier, frameNumber } = imageOf(inputs, "image").videoOrDefault(now());
        const history = historyOf(histories, videoIdentifier, frameNumber);
        history.newest = frameNumber;
        history.reach = Math.max(history.reach, -offset);
        history.values.set(frameNumber, keptValue(inputs.data ?? null));
        const wanted = frameNumber + offset;
        const available = history.values.has(wanted);
        const output = available ? history.values.get(wanted)! : (inputs.default_value ?? null);
        forgetUnreachable(history);
        return { output, is_available: available, reference_frame_number: frameNumber };
      },
    };
  },
};

function offsetOf(offset: number): number {
  if (offset > 0) throw inputError(`"offset" must be 0 or below: later frames are not known yet (it is ${offset}).`);
  if (offset < FURTHEST_OFFSET) throw inputError(`"offset" must be at least ${FURTHEST_OFFSET} (it is ${offset}).`);
  return offset;
}

/** Videos are kept in the order they were last seen; the longest unseen goes first. */
function historyOf(histories: Map<string, History>, videoId: string, frameNumber: number): History {
  const known = histories.get(videoId);
  histories.delete(videoId);
  // A number that went back is another video under the same name.
  const isContinued = known !== undefined && frameNumber >= known.newest;
  const history = isContinued ? known : { values: new Map(), newest: frameNumber, reach: 0 };
  histories.set(videoId, history);
  if (histories.size > MAX_VIDEOS) histories.delete(histories.keys().next().value!);
  return history;
}

function forgetUnreachable({ values, newest, reach }: History): void {
  for (const frame of values.keys()) {
    if (frame >= newest - reach) return;
    values.delete(frame);
  }
}
