// uploaded bytes → artifact store → pictures
import multipart from "@fastify/multipart";
import { readImageHeader } from "@vision-agent/agent-core";
import { artifactCreatedSchema } from "@vision-agent/protocol";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";

const LARGEST_UPLOAD = 20 * 1024 * 1024;
const FOR_GOOD = "private, max-age=31536000, immutable";

export async function addArtifactRoutes(server: HttpServer, { artifacts, resize, onFault }: HttpParts): Promise<void> {
  await server.register(multipart, { limits: { files: 1, fileSize: LARGEST_UPLOAD } });
  server.addContentTypeParser(
    /^(?:image\/.+|application\/octet-stream)$/,
    { parseAs: "buffer", bodyLimit: LARGEST_UPLOAD },
    (_request, body, done) => done(null, body),
  );

  server.post(
    "/api/artifacts",
    {
      schema: {
        summary: "Upload a picture: raw bytes, or multipart with one file",
        response: { 201: artifactCreatedSchema },
      },
    },
    async (request, reply) => {
      const { bytes, filename } = await uploaded(request);
      // The first bytes decide; a declared type is never believed.
      const header = readImageHeader(bytes);
      if (header === undefined) {
        throw new HttpProblem(415, "not_an_image", "These bytes are no picture.", "JPEG, PNG, WebP and GIF are taken.");
      }
      const ref = await artifacts.put(bytes, {
        mimeType: header.mimeType,
        namespace: "input_image",
        filename,
      });
      return reply.code(201).send({ id: ref.id });
    },
  );

  server.get(
    "/api/artifacts/:id",
    {
      schema: {
        summary: "The bytes of an artifact; ?width= gives a smaller JPEG",
        params: z.object({ id: z.string() }),
        querystring: z.object({ width: z.coerce.number().int().min(16).max(4096).optional() }),
      },
    },
    async ({ params, query }, reply) => {
      const [ref, bytes] = await Promise.all([artifacts.ref(params.id), artifacts.get(params.id)]);
      if (ref === undefined || bytes === undefined) {
        throw notFound(`There is no artifact ${params.id}.`);
      }
      reply.header("cache-control", FOR_GOOD).header("x-content-type-options", "nosniff");
      const isImage = ref.mimeType.startsWith("image/");
      if (query.width === undefined || !isImage) {
        // What is no picture is never shown inside our own page.
        if (!isImage) reply.header("content-disposition", "attachment");
        return reply.type(ref.mimeType).send(Buffer.from(bytes));
      }
      const small = await resize(bytes, { width: query.width }).catch((error: unknown) => {
        onFault(error);
        return undefined;
      });
      if (small === undefined)
        throw new HttpProblem(422, "not_decodable", "The picture is damaged and cannot be made smaller.");
      return reply.type(small.mimeType).send(Buffer.from(small.bytes));
    },
  );
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
