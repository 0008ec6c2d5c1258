// earlier pictures of the person → no longer sent
import { toView } from "../context/history.ts";
import { imagesOf, withReasoningDrops } from "../context/pruning.ts";
import type { RunScope } from "./run-scope.ts";

/** VI-24: the references stay in the transcript. */
export async function hideEarlierImages({ journal, profile }: RunScope): Promise<void> {
  const view = toView(journal.entries());
  const attached = new Set(view.originals.flatMap(({ id, role }) => (role === "user" ? [id] : [])));
  const edits = imagesOf(view).flatMap(({ artifactId: _, ...edit }) => (attached.has(edit.messageId) ? [edit] : []));
  if (edits.length === 0) return;
  await journal.write({ type: "view", epoch: view.epoch + 1, edits: withReasoningDrops(view, edits, profile) });
}
