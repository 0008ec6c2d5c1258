import { COCO_CLASSES, SIM_TRUTH_CLASSES } from "@vision-agent/vision-engine";

/** The detector that is used on a camera unless a person names another: scenes tell their own truth, others are looked at. */
export function detectorFor(address: string): string {
  return /^sim:/i.test(address.trim()) ? "sim/truth" : "vision-agent/default";
}

/** Class names that a detector can find; undefined when nobody knows before it is loaded. */
export function classesOfDetector(modelId: string): readonly string[] | undefined {
  if (/^sim\/truth\b/.test(modelId)) return SIM_TRUTH_CLASSES;
  return modelId === "vision-agent/default" ? COCO_CLASSES : undefined;
}
