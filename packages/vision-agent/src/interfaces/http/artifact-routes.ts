// uploaded bytes → artifact store → pictures
import multipart from "@fastify/multipart";
import { readImageHeader } from "@vision-agent/agent-core";
import { artifactCreatedSchema } from "@vision-agent/protocol";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { type Identity, seesCamera } from "../../access/identity.ts";
import { OWNER } from "../../sessions/owner.ts";
import { originOf } from "../../store/picture-origin.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

const LARGEST_UPLOAD = 20 * 1024 * 1024;
const PICTURE_BODY = /^(?:image\/.+|application\/octet-stream)$/;
const UPLOADED = /^\s*(?:image\/|application\/octet-stream|multipart\/)/i;
const MOST_LOOKED_AT = 1000;
const FOR_GOOD = "private, max-age=31536000, immutable";

/** Forms and pictures as bodies, for every route that takes them. */
export async function takeUploads(server: HttpServer, { admission }: HttpParts): Promise<void> {
  // Before the body is read: each may hold the largest picture in memory.
  server.addHook("onRequest", async ({ headers }, reply) => {
    if (UPLOADED.test(headers["content-type"] ?? "")) reply.raw.once("close", admission.enter("upload"));
  });
  await server.register(multipart, { limits: { files: 1, fileSize: LARGEST_UPLOAD } });
  server.addContentTypeParser(PICTURE_BODY, { parseAs: "buffer", bodyLimit: LARGEST_UPLOAD }, (_request, body, done) =>
    done(null, body),
  );
}

export function addArtifactRoutes(route: AddRoute, parts: HttpParts): void {
  const { artifacts, resize, onFault } = parts;
  const about = "Upload a picture: raw bytes, or multipart with one file";
  route("POST /api/artifacts", { about, answer: artifactCreatedSchema, status: 201 }, async ({ request }) => {
    const { bytes, filename } = await uploaded(request);
    // The first bytes decide; a declared type is never believed.
    const header = readImageHeader(bytes);
    if (header === undefined) {
      throw new HttpProblem(415, "not_an_image", "These bytes are no picture.", "JPEG, PNG, WebP and GIF are taken.");
    }
    const { mimeType } = header;
    const { id } = await artifacts.put(bytes, { mimeType, namespace: "input_image", filename, scope: OWNER });
    return { id };
  });

  route(
    "GET /api/artifacts/:id",
    {
      about: "The bytes of an artifact; ?width= gives a smaller JPEG",
      query: { width: z.coerce.number().int().min(16).max(4096).optional() },
      role: "viewer",
    },
    async ({ id, query: { width }, who }, reply) => {
      if (who.role !== "owner" && !isOfEvent(id, who, parts)) throw notFound(`There is no artifact ${id}.`);
      const [ref, bytes] = await Promise.all([artifacts.ref(id, OWNER), artifacts.get(id, OWNER)]);
      // Whoever mentions a picture, it shows what the camera saw that took it.
      const isHidden = originOf(ref)?.cameras.some((camera) => !seesCamera(who, camera)) === true;
      if (ref === undefined || bytes === undefined || isHidden) throw notFound(`There is no artifact ${id}.`);
      reply.header("cache-control", FOR_GOOD).header("x-content-type-options", "nosniff");
      const isImage = ref.mimeType.startsWith("image/");
      if (width === undefined || !isImage) {
        // What is no picture is never shown inside our own page.
        if (!isImage) reply.header("content-disposition", "attachment");
        return reply.type(ref.mimeType).send(Buffer.from(bytes));
      }
      const small = await resize(bytes, { width }).catch((error: unknown) => {
        onFault(error);
        throw new HttpProblem(422, "not_decodable", "The picture is damaged and cannot be made smaller.");
      });
      return reply.type(small.mimeType).send(Buffer.from(small.bytes));
    },
  );
}

/** A viewer gets the pictures of what happened on its cameras, and nothing of conversations. */
function isOfEvent(id: string, who: Identity, { events, alerts }: Pick<HttpParts, "events" | "alerts">): boolean {
  const shows = ({ picture, camera }: { readonly picture?: string; readonly camera: string }): boolean =>
    picture === id && seesCamera(who, camera);
  return events.shows(id, (camera) => seesCamera(who, camera)) || alerts.list(MOST_LOOKED_AT).some(shows);
}

async function uploaded(request: FastifyRequest): Promise<{ readonly bytes: Uint8Array; readonly filename?: string }> {
  if (request.isMultipart()) {
    const file = await request.file().catch(refuseForm);
    if (file === undefined) throw new HttpProblem(400, "invalid_body", "The form holds no file.");
    return { bytes: await file.toBuffer().catch(refuseForm), filename: file.filename };
  }
  if (request.body instanceof Uint8Array && request.body.length > 0) return { bytes: request.body };
  throw new HttpProblem(400, "invalid_body", "Send the bytes of a picture, or a form with one file.");
}

/** The parser's own complaints about the bytes of a form carry no status. */
export function refuseForm(thrown: unknown): never {
  if (thrown instanceof Error && "statusCode" in thrown) throw thrown;
  throw new HttpProblem(400, "invalid_body", "The form is broken off or malformed.");
}
