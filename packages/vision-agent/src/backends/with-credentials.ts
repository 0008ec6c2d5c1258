// addresses as they are shown → a backend, which gets them with their passwords

import type { WorkflowSpec } from "@vision-agent/protocol";
import type { CredentialStore } from "../workspace/credential-store.ts";
import type { ImageRef, InferenceBackend, Job } from "./backend.ts";

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
  const completeJob = (job: Job): Job => (job.kind === "workflow" ? { ...job, spec: completeSpec(job.spec) } : job);
  return {
    name: backend.name,
    validate: (spec) => backend.validate(completeSpec(spec)),
    run: (job, image, signal) => backend.run(completeJob(job), completeImage(image), signal),
    startPipeline: ({ address, spec, ...request }) =>
      backend.startPipeline({ ...request, address: complete(address), spec: completeSpec(spec) }),
    pausePipeline: (id) => backend.pausePipeline(id),
    resumePipeline: (id) => backend.resumePipeline(id),
    stopPipeline: (id) => backend.stopPipeline(id),
    listPipelines: () => backend.listPipelines(),
    figures: (id) => backend.figures(id),
    consumeResults: (id, maxResults) => backend.consumeResults(id, maxResults),
    picture: (id, request) => backend.picture(id, request),
    ...(backend.serverOf && { serverOf: backend.serverOf.bind(backend) }),
    view: (id, onFrame) => backend.view(id, onFrame),
    close: () => backend.close(),
  };
}
