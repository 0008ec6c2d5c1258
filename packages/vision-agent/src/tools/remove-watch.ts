// an id → the watch gone, and what is still watched, read back
import type { WatchRegistry } from "../watches/watch-registry.ts";
import type { GradedTool } from "./autonomy.ts";
import { NO_WATCHES } from "./list-watches.ts";

export function createRemoveWatchTool(options: {
  readonly watches: Pick<WatchRegistry, "list" | "remove">;
}): GradedTool<{ readonly watch_id: string }> {
  const { watches } = options;
  return {
    name: "remove_watch",
    description: "Remove a watch for good. Answers with what is still watched.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["watch_id"],
      properties: { watch_id: { type: "string", description: "Id from list_watches." } },
    },
    annotations: { destructive: true },
    effectOf({ watch_id }) {
      const words = watches.list().find(({ id }) => id === watch_id)?.words;
      const question = `Remove the watch ${words === undefined ? watch_id : `"${words}"`}?`;
      return { grade: "change", grave: true, question };
    },
    async execute({ watch_id }) {
      const removed = await watches.remove(watch_id);
      const left = watches.list();
      if (left.some(({ id }) => id === removed.id)) throw new Error(`${watch_id} is still listed. Try again.`);
      const ids = left.map(({ id, words }) => `${id} "${words}"`).join(", ");
      return `Removed ${removed.id} "${removed.words}". ${ids === "" ? NO_WATCHES : `Still watching: ${ids}.`}`;
    },
  };
}
