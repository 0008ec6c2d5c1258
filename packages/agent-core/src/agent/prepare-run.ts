// a person's message → checked, pictures stored → the first message of the run
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { ModelProfile } from "../llm/llm-client.ts";
import type { ArtifactRef } from "../types/artifact.ts";
import { raceAbort } from "../types/child-abort.ts";
import { AgentError } from "../types/errors.ts";
import type { ImagePart, Part } from "../types/message.ts";
import type { ExecuteInput, VisionInput } from "./agent-executor.ts";
import type { AgentExecutorOptions } from "./executor-options.ts";
import type { RunJournal } from "./run-journal.ts";

/** Opens the session and writes the user's message. Throws `AgentError` when the run cannot start. */
export async function prepareRun(
  input: ExecuteInput,
  options: AgentExecutorOptions,
  journal: RunJournal,
  signal: AbortSignal,
): Promise<void> {
  if (input.text.trim() === "" && !input.images?.length) {
    throw new AgentError({
      kind: "invalid",
      code: "empty_message",
      message: "The message has no text and no pictures.",
    });
  }
  const profile = await raceAbort(options.llm.profile(options.model), signal);
  const images = admitImages(input, profile, journal);
  const session = await options.sessions.open(input.sessionId);
  journal.useSession(session);
  const { skippedLines, quarantinedBytes } = session.damage;
  if (skippedLines > 0 || quarantinedBytes > 0) {
    journal.warn(
      "transcript_repaired",
      `${skippedLines} lines skipped, ${quarantinedBytes} bytes of a torn end set aside.`,
    );
  }
  const pictures = await storeImages(images, options.artifacts, journal);
  const state = await raceAbort(options.prompt.state(), signal);
  const parts: Part[] = [
    ...pictures,
    ...(input.text === "" ? [] : [{ type: "text" as const, text: input.text }]),
    ...(state === "" ? [] : [{ type: "state_note" as const, text: state }]),
  ];
  await journal.appendStart(input.text);
  await journal.appendMessage(journal.newMessage("user", "human", parts));
}

/** VI-7, VI-9: decided before anything is stored or sent. */
function admitImages(input: ExecuteInput, profile: ModelProfile, journal: RunJournal): readonly VisionInput[] {
  const images = input.images ?? [];
  if (images.length === 0 || profile.supportsVision) return images;
  if (input.visionMode !== "lenient") {
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
async function storeImages(
  images: readonly VisionInput[],
  artifacts: ArtifactStore,
  journal: RunJournal,
): Promise<readonly ImagePart[]> {
  const parts: ImagePart[] = [];
  for (const image of images) {
    const ref = await toRef(image, artifacts);
    journal.emit({ type: "artifact", ref, reason: "input" });
    parts.push({
      type: "image",
      artifactId: ref.id,
      mimeType: ref.mimeType,
      ...(image.detail === undefined ? {} : { detail: image.detail }),
      ...(ref.filename === undefined ? {} : { filename: ref.filename }),
    });
  }
  return parts;
}

async function toRef(image: VisionInput, artifacts: ArtifactStore): Promise<ArtifactRef> {
  if ("bytes" in image) {
    const { bytes, mediaType, filename } = image;
    return artifacts.put(bytes, {
      mimeType: mediaType,
      namespace: "input_image",
      ...(filename === undefined ? {} : { filename }),
    });
  }
  const ref = await artifacts.ref(image.artifactId);
  if (ref?.mimeType.startsWith("image/")) return ref;
  throw new AgentError({
    kind: "invalid",
    code: "unknown_artifact",
    message: `There is no picture with the id "${image.artifactId}".`,
  });
}
