import type { Block } from "../block.ts";
import { anomalyHeatmapVisualization } from "./anomaly-heatmap-visualization.ts";
import {
  backgroundColorVisualization,
  colorVisualization,
  haloVisualizationV1,
  haloVisualizationV2,
  maskVisualization,
  modelComparisonVisualization,
} from "./area-visualizations.ts";
import { classificationLabelVisualization } from "./classification-label-visualization.ts";
import { cropVisualization } from "./crop-visualization.ts";
import { gridVisualization } from "./grid-visualization.ts";
import { heatmapVisualization } from "./heatmap-visualization.ts";
import { blurVisualization, pixelateVisualization } from "./hiding-visualizations.ts";
import { iconVisualization } from "./icon-visualization.ts";
import { keypointVisualization } from "./keypoint-visualization.ts";
import { labelVisualizationV1, labelVisualizationV2, richLabelVisualization } from "./label-visualizations.ts";
import { dotVisualization, triangleVisualization } from "./marker-visualizations.ts";
import {
  boundingBoxVisualization,
  circleVisualization,
  cornerVisualization,
  ellipseVisualization,
} from "./outline-visualizations.ts";
import { polygonVisualizationV1, polygonVisualizationV2 } from "./polygon-visualizations.ts";
import { textDisplay } from "./text-display.ts";
import { traceVisualization } from "./trace-visualization.ts";
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
