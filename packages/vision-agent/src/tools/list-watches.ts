import type { WatchRegistry } from "../watches/watch-registry.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";
import { formatWatch } from "./watch-lines.ts";

export const NO_WATCHES = "Nothing is watched.";

export function createListWatchesTool(options: { readonly watches: Pick<WatchRegistry, "list"> }): GradedTool {
  return lookOnly({
    name: "list_watches",
    description: "List the watches: id, words, condition, hours, state, how often each fired.",
    parameters: { type: "object", additionalProperties: false, properties: {} },
    annotations: { readOnly: true },
    async execute() {
      return options.watches.list().map(formatWatch).join("\n") || NO_WATCHES;
    },
  });
}
