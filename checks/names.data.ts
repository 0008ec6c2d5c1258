/** Words that say nothing to somebody from outside, as whole words of a name: `createUsageBook`, `house-routes.ts`. */
export const FORBIDDEN_WORDS: ReadonlySet<string> = new Set(
  "house houses ground sight mind purse shelf shelves desk rung rungs eyes book books post posts man furnish".split(
    " ",
  ),
);

/** Names that mean the thing itself: HTTP, workers, wire formats, what people say. */
export const ALLOWED_NAMES: ReadonlySet<string> = new Set([
  "groundTruth",
  "post",
  "postJson",
  "postForEvents",
  "postMessage",
  "PostMessage",
  "postMessageSchema",
  "post_processing",
  "post_processor",
  "house",
  "man",
  "purse",
  "Post",
  "postOf",
  "sendPost",
]);

/** The drawn scenes have houses, posts and a ground. */
export const DRAWN_SCENES = "packages/vision-engine/src/sources/sim/";

/** Where the key `house:` of the eval files and what people call things are data, not names of ours. */
export const HOUSE_IS_DATA: readonly string[] = [
  "packages/vision-agent/src/evals/",
  "packages/vision-agent/src/agent/offline/",
];

/** Types that two packages must both have because neither may import the other. */
export const SHARED_TYPES: ReadonlySet<string> = new Set(["Json"]);
