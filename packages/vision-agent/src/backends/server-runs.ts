// one question about one picture → a server → the answer with its pictures
import {
  ClientError,
  type InferenceClient,
  mayAct,
  type ServerFleet,
  toOutputs,
  type WorkflowAnswer,
} from "@vision-agent/inference-client";
import type { Picture } from "@vision-agent/vision-engine";
import type { AllowedPicture, Egress } from "../egress/open-egress.ts";
import { ofCamera } from "../store/picture-origin.ts";
import { admitPicture } from "./admit-to-server.ts";
import { BackendError, type ImageRef, type InferenceBackend, type InferenceJob, type JobResult } from "./backend.ts";
import { speakingBackendError } from "./client-errors.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { toServerWorkflow } from "./server-source.ts";
import { type Capture, toPicture } from "./still-picture.ts";

export interface ServerRunsOptions {
  readonly fleet: ServerFleet;
  readonly capture: Capture;
  readonly clock: { now(): number; monotonic(): number };
  /** Says which pictures may go to which server. */
  readonly egress: Pick<Egress, "admit">;
}

/** Questions that need no pipeline. Throws `BackendError`. */
export function createServerRuns(options: ServerRunsOptions): Pick<InferenceBackend, "validate" | "run"> {
  const { fleet, clock, egress } = options;
  return {
    validate: (spec) =>
      speakingBackendError(() =>
        ask(fleet, { repeatable: true, signal: undefined, put: (client) => client.workflows.validate(spec) }),
      ),
    run: (job, image, signal) =>
      speakingBackendError(async () => {
        const origin = image.kind === "source" ? ofCamera(image.sourceId) : image.origin;
        const picture = await pictureOf(image, options, signal);
        const begun = clock.monotonic();
        const answer = await ask(fleet, {
          repeatable: isRepeatable(job),
          signal,
          put: async (client) => {
            const allowed = await admitPicture({ bytes: picture.jpeg, origin }, client, egress);
            return askAbout(client, { job, picture: allowed, signal });
          },
        });
        return toJobResult(answer, picture, clock.monotonic() - begun);
      }, signal),
  };
}

interface Question<T> {
  readonly put: (client: InferenceClient) => Promise<T>;
  /** Asking twice does nothing twice. */
  readonly repeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Asks the best server, and the next best one when it cannot be reached. */
async function ask<T>(fleet: ServerFleet, { put, repeatable, signal }: Question<T>): Promise<T> {
  const avoid = new Set<string>();
  for (;;) {
    const { label, client } = await fleet.choose({ for: "run", avoid }, signal);
    try {
      return await put(client);
    } catch (error) {
      if (!(error instanceof ClientError && error.kind === "network")) throw error;
      fleet.noteFailure(label, error.message);
      avoid.add(label);
      if (!repeatable || avoid.size === fleet.labels.length) throw error;
    }
  }
}

/** A workflow may have told people of something before its server was gone. */
function isRepeatable(job: InferenceJob): boolean {
  return job.kind === "model" || (job.kind === "workflow" && !mayAct(job.spec));
}

function pictureOf(
  image: ImageRef,
  { capture, clock }: ServerRunsOptions,
  signal: AbortSignal | undefined,
): Promise<Picture> {
  if (image.kind === "source") return capture(image.address, image.sourceId, signal);
  return toPicture(image.bytes, { source_id: "picture", timestamp: new Date(clock.now()).toISOString() });
}

interface Subject {
  readonly job: InferenceJob;
  readonly picture: AllowedPicture;
  readonly signal: AbortSignal | undefined;
}

function askAbout(client: InferenceClient, { job, picture, signal }: Subject): Promise<WorkflowAnswer> {
  if (job.kind === "saved_workflow") {
    const { workspace, workflowId, parameters } = job;
    return client.workflows.runSaved(
      { workspace, workflowId, parameters, images: { image: picture.bytes } },
      { signal },
    );
  }
  const specification = job.kind === "model" ? detectionWorkflow(job) : job.spec;
  const parameters = job.kind === "model" ? undefined : job.parameters;
  const { imageInput } = toServerWorkflow(specification);
  return client.workflows.run({ specification, parameters, images: { [imageInput]: picture.bytes } }, { signal });
}

function toJobResult({ outputs: [first] }: WorkflowAnswer, picture: Picture, latencyMs: number): JobResult {
  if (first === undefined) throw new BackendError({ kind: "internal", message: "The server answered with no output." });
  const { frame, width, height } = picture;
  const { outputs, pictures } = toOutputs(first, { width, height });
  const [drawn] = [...pictures].flatMap(([name, jpeg]): Picture[] => {
    const output = outputs[name];
    return output?.kind === "image" ? [{ jpeg, width: output.width, height: output.height, frame }] : [];
  });
  const result = { frame, outputs, latency_ms: latencyMs };
  return { result, picture, ...(drawn && { annotated: drawn }) };
}
