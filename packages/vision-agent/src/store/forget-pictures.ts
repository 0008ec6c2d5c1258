// pictures that cameras took ─▶ gone
import type { ArtifactRef, ArtifactStore } from "@vision-agent/agent-core";
import { type ForgetfulStore, type ForgetTarget, isCovered, toForgotten } from "./forget-target.ts";
import { originOf } from "./picture-origin.ts";

/** Pictures of the cameras in question, by the time at which they were first kept. */
export async function findPictures(
  artifacts: Pick<ArtifactStore, "list">,
  target: Pick<ForgetTarget, "camera" | "fromMs" | "toMs">,
): Promise<readonly ArtifactRef[]> {
  const taken = (ref: ArtifactRef): readonly string[] => originOf(ref)?.cameras ?? [];
  return (await artifacts.list()).filter((ref) =>
    taken(ref).some((camera) => isCovered(target, camera, Date.parse(ref.createdAt))),
  );
}

export function forgetfulPictures(artifacts: Pick<ArtifactStore, "ref" | "remove">): ForgetfulStore {
  return {
    async forget({ pictures }, { preview }) {
      const found: string[] = [];
      for (const id of pictures) {
        const ref = await artifacts.ref(id);
        if (ref === undefined) continue;
        found.push(`${id}, ${Math.round(ref.bytes / 1000)} kB, kept since ${ref.createdAt}`);
        if (!preview) await artifacts.remove(id);
      }
      return toForgotten(found);
    },
  };
}
