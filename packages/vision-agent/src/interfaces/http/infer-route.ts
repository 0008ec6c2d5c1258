// one question about one picture → the backend that answers it
import { readImageHeader } from "@vision-agent/agent-core";
import { type Infer, inferredSchema, inferSchema, type WorkflowSpec } from "@vision-agent/protocol";
import type { FastifyRequest } from "fastify";
import { BackendError, type ImageRef, type InferenceJob } from "../../backends/backend.ts";
import { detectionWorkflow } from "../../backends/detection-workflow.ts";
import { detectorFor } from "../../pipelines/detector-for.ts";
import { OWNER } from "../../sessions/owner.ts";
import { GIVEN, ofCamera, originOf, type PictureOrigin, toSources } from "../../store/picture-origin.ts";
import { findVideoReference, unknownCamera } from "../../tools/known-source.ts";
import { withoutCredentials } from "../../workspace/camera-address.ts";
import { describeIssue } from "../../workspace/describe-issue.ts";
import { parseJson } from "../../workspace/parse-json.ts";
import { refuseForm } from "./artifact-routes.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import { isTooDeep, tooDeep } from "./json-body.ts";
import type { AddRoute } from "./route.ts";

export function addInferRoute(route: AddRoute, parts: HttpParts): void {
  const about =
    "Look once: an artifact or a camera, with a model, a workflow or a saved workflow; a form may bring a file";
  route("POST /api/infer", { about, answer: inferredSchema }, async ({ request }, reply) => {
    const form = request.isMultipart() ? await readForm(request) : undefined;
    const asked = parseInfer(form?.fields ?? request.body);
    const image = form?.file === undefined ? await findImage(asked, parts) : toGiven(form.file, asked);
    const job = toJob(asked, image);
    const left = new AbortController();
    reply.raw.once("close", () => left.abort());
    const { backend, reason, hint } = parts.backends.choose({
      task: "single",
      wanted: asked.backend,
      ...(image.kind === "source" && { address: image.address }),
      ...specOf(job),
    });
    const { result, annotated, note } = await backend.run(job, image, left.signal).catch((error: unknown) => {
      throw withHint(error, hint);
    });
    const drawn =
      annotated &&
      (await parts.artifacts.put(annotated.jpeg, {
        mimeType: "image/jpeg",
        namespace: "inference",
        scope: OWNER,
        sources: sourcesOf(image),
      }));
    return {
      backend: backend.name,
      backend_reason: reason,
      result,
      annotated: drawn?.id ?? null,
      note: note ?? null,
    };
  });
}

function sourcesOf(image: ImageRef): readonly string[] | undefined {
  if (image.kind === "source") return toSources(ofCamera(image.sourceId));
  return image.origin && toSources(image.origin);
}

/** What is known of the workflow before it runs. */
function specOf(job: InferenceJob): { readonly spec?: WorkflowSpec } {
  if (job.kind === "saved_workflow") return {};
  return { spec: job.kind === "model" ? detectionWorkflow(job) : job.spec };
}

function parseInfer(body: unknown): Infer {
  const parsed = inferSchema.strict().safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HttpProblem(400, "invalid_body", describeIssue(parsed.error, body));
}

function toGiven(bytes: Uint8Array, { image }: Pick<Infer, "image">): ImageRef {
  if (image !== undefined) throw new HttpProblem(400, "invalid_body", "Give image or a file, not both.");
  return toPicture(bytes, GIVEN);
}

function toPicture(bytes: Uint8Array, origin: PictureOrigin | undefined): ImageRef {
  const header = readImageHeader(bytes);
  if (header === undefined) {
    throw new HttpProblem(422, "not_decodable", "The picture is none that can be read: send JPEG, PNG or WebP.");
  }
  return { kind: "bytes", bytes, mimeType: header.mimeType, ...(origin && { origin }) };
}

/** By the id of an artifact, the name of a camera or an address. */
async function findImage({ image }: Infer, { artifacts, cameras }: HttpParts): Promise<ImageRef> {
  if (image === undefined) {
    throw new HttpProblem(400, "invalid_body", "image is missing: give the id of an artifact or the name of a camera.");
  }
  const reference = findVideoReference(cameras, image);
  if (reference !== undefined) {
    const address = cameras.find(reference)?.address ?? reference;
    return { kind: "source", sourceId: withoutCredentials(reference), address };
  }
  const [ref, bytes] = await Promise.all([artifacts.ref(image, OWNER), artifacts.get(image, OWNER)]);
  if (bytes !== undefined) return toPicture(bytes, originOf(ref));
  throw notFound(`There is no artifact ${image}. ${unknownCamera(cameras, image)}`);
}

function toJob(asked: Infer, image: ImageRef): InferenceJob {
  const { model, workflow, workspace_name, workflow_id, confidence, classes, parameters } = asked;
  const isSaved = workspace_name !== undefined || workflow_id !== undefined;
  if ([model !== undefined, workflow !== undefined, isSaved].filter(Boolean).length > 1) {
    const message = "Give only one of model, workflow, and workspace_name with workflow_id.";
    throw new HttpProblem(400, "invalid_body", message);
  }
  const values = parameters && { parameters };
  if (workflow !== undefined) return { kind: "workflow", spec: workflow, ...values };
  if (!isSaved) {
    const modelId = model ?? detectorFor(image.kind === "source" ? image.address : "");
    return { kind: "model", modelId, confidence, ...(classes && { classes }) };
  }
  if (workspace_name === undefined || workflow_id === undefined) {
    throw new HttpProblem(400, "invalid_body", "A saved workflow needs workspace_name and workflow_id.");
  }
  return { kind: "saved_workflow", workspace: workspace_name, workflowId: workflow_id, ...values };
}

function withHint(thrown: unknown, hint: string | undefined): unknown {
  if (!(thrown instanceof BackendError) || hint === undefined || thrown.kind !== "invalid_workflow") return thrown;
  const { kind, problems } = thrown;
  return new BackendError({ kind, message: `${thrown.message} ${hint}`, problems, cause: thrown });
}

interface Form {
  readonly file: Uint8Array | undefined;
  /** What is JSON comes parsed, everything else as text. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Fields that are text whatever they look like. */
const TEXT: ReadonlySet<string> = new Set(["image", "model", "workspace_name", "workflow_id", "backend"]);

/** Throws `HttpProblem` 400 for a form that is broken. */
async function readForm(request: FastifyRequest): Promise<Form> {
  let file: Uint8Array | undefined;
  const fields: Record<string, unknown> = {};
  try {
    for await (const part of request.parts()) {
      if (part.type === "file") file = await part.toBuffer();
      else fields[part.fieldname] = toValue(part.fieldname, String(part.value));
    }
  } catch (error) {
    refuseForm(error);
  }
  return { file, fields };
}

function toValue(name: string, text: string): unknown {
  if (isTooDeep(text)) throw tooDeep();
  return TEXT.has(name) ? text : (parseJson(text) ?? text);
}
