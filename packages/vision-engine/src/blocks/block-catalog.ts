// every block there is → found by its type

import * as areaVisualizations from "./annotate/area-visualizations.ts";
import * as heatmapVisualizations from "./annotate/heatmap-visualizations.ts";
import * as hidingVisualizations from "./annotate/hiding-visualizations.ts";
import * as insetVisualizations from "./annotate/inset-visualizations.ts";
import * as keypointVisualization from "./annotate/keypoint-visualization.ts";
import * as labelVisualizations from "./annotate/label-visualizations.ts";
import * as outlineVisualizations from "./annotate/outline-visualizations.ts";
import * as textDisplay from "./annotate/text.ts";
import * as zoneVisualizations from "./annotate/zone-visualizations.ts";
import type { Block, BlockManifest } from "./block.ts";
import * as dataAggregator from "./count/data-aggregator.ts";
import * as detectionEventLog from "./count/detection-event-log.ts";
import * as movement from "./count/movement.ts";
import * as zones from "./count/zones.ts";
import * as crops from "./crop/crops.ts";
import * as dynamicZone from "./crop/dynamic-zone.ts";
import * as perspectiveCorrection from "./crop/perspective-correction.ts";
import * as qrCodeGenerator from "./crop/qr-code-generator.ts";
import * as modelBlocks from "./detect/model-blocks.ts";
import * as readers from "./detect/readers.ts";
import * as visionLanguage from "./detect/vision-language.ts";
import * as branches from "./flow/branches.ts";
import * as embeddings from "./flow/embeddings.ts";
import * as keptValues from "./flow/kept-values.ts";
import * as csvFormatter from "./format/csv-formatter.ts";
import * as jsonParser from "./format/json-parser.ts";
import * as stitchOcrDetections from "./format/stitch-ocr-detections.ts";
import * as stringTemplate from "./format/string-template.ts";
import * as vlmAsClassifier from "./format/vlm-as-classifier.ts";
import * as vlmAsDetector from "./format/vlm-as-detector.ts";
import * as email from "./notify/email.ts";
import * as logFiles from "./notify/log-files.ts";
import * as mqttWriter from "./notify/mqtt-writer.ts";
import * as slackAndTwilio from "./notify/slack-and-twilio.ts";
import * as webhook from "./notify/webhook.ts";
import * as classesReplacement from "./refine/classes-replacement.ts";
import * as detectionsConsensus from "./refine/detections-consensus.ts";
import * as detectionsDifference from "./refine/detections-difference.ts";
import * as filters from "./refine/filters.ts";
import * as joinedBoxes from "./refine/joined-boxes.ts";
import * as listRollup from "./refine/list-rollup.ts";
import * as maskEdgeSnap from "./refine/mask-edge-snap.ts";
import * as measurements from "./refine/measurements.ts";
import * as cameraFocus from "./see/camera-focus.ts";
import * as motion from "./see/motion.ts";
import * as pictureFilters from "./see/picture-filters.ts";
import * as shapes from "./see/shapes.ts";
import * as stabilizeDetections from "./track/stabilize-detections.ts";
import * as trackClassLock from "./track/track-class-lock.ts";
import * as trackers from "./track/trackers.ts";

/** A block type by any of its names; without `block` it is known but does not run here. */
interface CatalogEntry {
  readonly manifest: BlockManifest;
  readonly block?: Block;
}

export interface BlockIndex {
  /** By type id or alias. */
  find(type: string): CatalogEntry | undefined;
  /** Type ids and aliases of the blocks that run here. */
  readonly runnableNames: readonly string[];
}

export function createBlockCatalog(blocks: readonly Block[], manifests: readonly BlockManifest[]): BlockIndex {
  const blockOfType = new Map(blocks.map((block) => [block.manifest.type, block]));
  const others = manifests.filter(({ type }) => !blockOfType.has(type)).map((manifest) => ({ manifest }));
  const entries = [...blocks.map((block) => ({ manifest: block.manifest, block })), ...others];
  const byName = new Map(entries.flatMap((entry) => namesOf(entry.manifest).map((name) => [name, entry] as const)));
  return {
    find: (type) => byName.get(type),
    runnableNames: blocks.flatMap(({ manifest }) => namesOf(manifest)),
  };
}

function namesOf({ type, aliases = [] }: BlockManifest): readonly string[] {
  return [type, ...aliases];
}

/** The blocks that the files of each family export. */
export const BLOCK_FAMILIES = {
  detect: blocksIn(modelBlocks, readers, visionLanguage),
  track: blocksIn(trackers, stabilizeDetections, trackClassLock),
  count: blocksIn(zones, movement, dataAggregator, detectionEventLog),
  refine: blocksIn(
    filters,
    joinedBoxes,
    detectionsConsensus,
    detectionsDifference,
    measurements,
    classesReplacement,
    listRollup,
    maskEdgeSnap,
  ),
  flow: blocksIn(branches, keptValues, embeddings),
  format: blocksIn(stringTemplate, jsonParser, csvFormatter, vlmAsClassifier, vlmAsDetector, stitchOcrDetections),
  crop: blocksIn(crops, perspectiveCorrection, dynamicZone, qrCodeGenerator),
  see: blocksIn(cameraFocus, pictureFilters, shapes, motion),
  annotate: blocksIn(
    outlineVisualizations,
    areaVisualizations,
    hidingVisualizations,
    insetVisualizations,
    labelVisualizations,
    textDisplay,
    keypointVisualization,
    heatmapVisualizations,
    zoneVisualizations,
  ),
  notify: blocksIn(webhook, slackAndTwilio, email, mqttWriter, logFiles),
} satisfies Record<string, readonly Block[]>;

/** Every block that runs here, by family. */
export const BLOCKS: readonly Block[] = Object.values(BLOCK_FAMILIES).flat();

function blocksIn(...files: readonly object[]): readonly Block[] {
  return files.flatMap((file) => Object.values(file).flat().filter(isBlock));
}

function isBlock(value: unknown): value is Block {
  return typeof value === "object" && value !== null && "manifest" in value && "create" in value;
}
