import type { Block } from "../block.ts";
import { buffer } from "./buffer.ts";
import { cacheGet, cacheSet } from "./cache.ts";
import { continueIf } from "./continue-if.ts";
import { cosineSimilarityBlock } from "./cosine-similarity.ts";
import { deltaFilter } from "./delta-filter.ts";
import { environmentSecretsStore } from "./environment-secrets-store.ts";
import { expression } from "./expression.ts";
import { frameDelay } from "./frame-delay.ts";
import { identifyChanges } from "./identify-changes.ts";
import { identifyOutliers } from "./identify-outliers.ts";
import { imageStack } from "./image-stack.ts";
import { dimensionCollapse, firstNonEmptyOrDefault } from "./join-branches.ts";
import { propertyDefinition } from "./property-definition.ts";
import { rateLimiter } from "./rate-limiter.ts";
import { switchCase } from "./switch-case.ts";

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
