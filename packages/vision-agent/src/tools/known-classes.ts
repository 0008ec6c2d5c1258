// classes as people write them → as the detectors of the cameras spell them
import { nearestName } from "@vision-agent/vision-engine";
import type { RegisteredCamera } from "../workspace/camera-registry.ts";
import type { ToolParts } from "./tool-parts.ts";
import type { WatchArgs } from "./watch-arguments.ts";

/** As the models spell them. Throws with the nearest names when one does not know a class. */
export function toClasses(
  { classes = [], model_id }: Pick<WatchArgs, "classes" | "model_id">,
  cameras: readonly RegisteredCamera[],
  { detectorFor, classesOf }: Pick<ToolParts, "detectorFor" | "classesOf">,
): readonly string[] {
  const models = [...new Set(cameras.map(({ address }) => model_id ?? detectorFor(address)))];
  return classes.map((written) => {
    const spellings = models.map((modelId) => spellingOf(written, modelId, classesOf(modelId)));
    return spellings[0] ?? written;
  });
}

function spellingOf(written: string, modelId: string, known: readonly string[] | undefined): string {
  if (known === undefined) return written;
  const found = known.find((name) => singulars(written).includes(name.toLowerCase()));
  if (found !== undefined) return found;
  const nearest = nearestName(written, known);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new Error(
    `The model ${modelId} cannot find "${written}".${hint} It finds: ${known.join(", ")}. Use one of these, or a model_id that knows it.`,
  );
}

/** Detectors name one thing; people often name many. */
function singulars(written: string): readonly string[] {
  const word = written.trim().toLowerCase();
  if (word === "people") return ["person"];
  return [word, word.replace(/s$/, ""), word.replace(/es$/, ""), word.replace(/ies$/, "y")];
}
