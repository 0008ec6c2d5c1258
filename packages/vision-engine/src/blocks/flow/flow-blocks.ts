import type { Block } from "../block.ts";
import {
  continueIf,
  deltaFilter,
  dimensionCollapse,
  firstNonEmptyOrDefault,
  rateLimiter,
  switchCase,
} from "./branches.ts";
import { cosineSimilarityBlock, identifyChanges, identifyOutliers } from "./embeddings.ts";
import { buffer, cacheGet, cacheSet, frameDelay, imageStack } from "./kept-values.ts";
import { environmentSecretsStore, expression, propertyDefinition } from "./values.ts";

export const FLOW_BLOCKS: readonly Block[] = [
  continueIf,
  deltaFilter,
  rateLimiter,
  switchCase,
  cacheGet,
  cacheSet,
  buffer,
  frameDelay,
  imageStack,
  dimensionCollapse,
  firstNonEmptyOrDefault,
  propertyDefinition,
  expression,
  identifyChanges,
  identifyOutliers,
  cosineSimilarityBlock,
  environmentSecretsStore,
];
