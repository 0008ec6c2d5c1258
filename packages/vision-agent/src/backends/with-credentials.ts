// addresses as they are shown → a backend, which gets them with their passwords

import type { WorkflowSpec } from "@vision-agent/protocol";
import type { CredentialStore } from "../workspace/credential-store.ts";
import type { ImageRef, InferenceBackend, InferenceJob } from "./backend.ts";

/**
 * The same backend for callers that know no password: sources are completed, and the `url` that a step sends to.
 * Nothing else in a workflow is, or a message could carry a password away.
 */
export function withCredentials(
  backend: InferenceBackend,
  { complete }: Pick<CredentialStore, "complete">,
): InferenceBackend {
  const completeImage = (image: ImageRef): ImageRef =>
    image.kind === "source" ? { ...image, address: complete(image.address) } : image;
  const completeSpec = (spec: WorkflowSpec): WorkflowSpec => ({
    ...spec,
    steps: spec.steps.map((step) => (typeof step.url === "string" ? { ...step, url: complete(step.url) } : step)),
  });
  const completeJob = (job: InferenceJob): InferenceJob =>
    job.kind === "workflow" ? { ...job, spec: completeSpec(job.spec) } : job;
  return {
    name: backend.name,
    validate: (spec) => backend.validate(completeSpec(spec)),
    run: (job, image, signal) => backend.run(completeJob(job), completeImage(image), signal),
    open: ({ address, spec, ...request }) =>
      backend.open({ ...request, address: complete(address), spec: completeSpec(spec) }),
  };
}
