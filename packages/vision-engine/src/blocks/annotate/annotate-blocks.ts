import type { Block } from "../block.ts";
import {
  backgroundColorVisualization,
  colorVisualization,
  haloVisualizationV1,
  haloVisualizationV2,
  maskVisualization,
  modelComparisonVisualization,
} from "./area-visualizations.ts";
import { anomalyHeatmapVisualization, heatmapVisualization } from "./heatmap-visualizations.ts";
import { blurVisualization, pixelateVisualization } from "./hiding-visualizations.ts";
import { cropVisualization, gridVisualization, iconVisualization } from "./inset-visualizations.ts";
import { keypointVisualization } from "./keypoint-visualization.ts";
import {
  classificationLabelVisualization,
  labelVisualizationV1,
  labelVisualizationV2,
  richLabelVisualization,
} from "./label-visualizations.ts";
import {
  boundingBoxVisualization,
  circleVisualization,
  cornerVisualization,
  dotVisualization,
  ellipseVisualization,
  polygonVisualizationV1,
  polygonVisualizationV2,
  traceVisualization,
  triangleVisualization,
} from "./outline-visualizations.ts";
import { textDisplay } from "./text-display.ts";
import {
  lineCounterVisualization,
  polygonZoneVisualization,
  referencePathVisualization,
} from "./zone-visualizations.ts";

/** What is drawn on pictures. */
export const ANNOTATE_BLOCKS: readonly Block[] = [
  boundingBoxVisualization,
  cornerVisualization,
  circleVisualization,
  ellipseVisualization,
  dotVisualization,
  triangleVisualization,
  colorVisualization,
  maskVisualization,
  polygonVisualizationV1,
  polygonVisualizationV2,
  haloVisualizationV1,
  haloVisualizationV2,
  backgroundColorVisualization,
  modelComparisonVisualization,
  blurVisualization,
  pixelateVisualization,
  cropVisualization,
  iconVisualization,
  labelVisualizationV1,
  labelVisualizationV2,
  richLabelVisualization,
  classificationLabelVisualization,
  textDisplay,
  keypointVisualization,
  traceVisualization,
  heatmapVisualization,
  lineCounterVisualization,
  polygonZoneVisualization,
  referencePathVisualization,
  gridVisualization,
  anomalyHeatmapVisualization,
];
