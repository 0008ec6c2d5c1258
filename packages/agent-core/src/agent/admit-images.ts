// pictures of a person → allowed by the model → stored → parts
import { storeVisionInputs, type VisionInput } from "../artifacts/vision-input.ts";
import type { ModelProfile } from "../llm/llm-client.ts";
import { AgentError } from "../types/errors.ts";
import type { ImagePart } from "../types/message.ts";
import type { Principal } from "../types/principal.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunParts } from "./run-scope.ts";

/** VI-7, VI-9: decided before anything is stored or sent. */
export function admitImages(
  images: readonly VisionInput[],
  mode: "strict" | "lenient",
  profile: ModelProfile,
  journal: RunJournal,
): readonly VisionInput[] {
  if (images.length === 0 || profile.supportsVision) return images;
  if (mode === "strict") {
    throw new AgentError({
      kind: "capability",
      code: "model_no_vision",
      message: `The model ${profile.id} cannot see pictures. Choose one that can, or send the message without them.`,
    });
  }
  journal.warn("images_dropped", `${images.length} pictures were left out: ${profile.id} cannot see them.`);
  return [];
}

/** VI-5: bytes go to the store, references go on. */
export async function storeImages(
  images: readonly VisionInput[],
  principal: Principal,
  { agent, journal }: RunParts,
): Promise<readonly ImagePart[]> {
  if (images.length === 0) return [];
  const { artifacts: store, artifactRegistry: registry } = agent.options;
  const scope = { sessionId: journal.sessionId, userId: principal.userId };
  const { parts, refs } = await storeVisionInputs(images, { store, scope, ...(registry && { registry }) });
  for (const ref of refs) {
    agent.refs.add(ref);
    journal.emit({ type: "artifact", ref, reason: "input" });
  }
  return parts;
}
