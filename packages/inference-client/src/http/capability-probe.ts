// /info and /openapi.json → what this server can do
import { z } from "zod";
import { ClientError, clientError } from "../errors.ts";
import type { SendOptions, Transport } from "./transport.ts";

/** Families of calls that a build of the server may lack, each with one path that stands for it. */
export const FAMILY_PATHS = {
  pipelines: "/inference_pipelines/initialise",
  webrtc: "/initialise_webrtc_worker",
  workflows: "/workflows/run",
  workload: "/workflows/describe_workload",
  embeddings: "/infer/embeddings",
  clip: "/clip/embed_image",
  perception_encoder: "/perception_encoder/embed_image",
  yolo_world: "/yolo_world/infer",
  grounding_dino: "/grounding_dino/infer",
  owlv2: "/owlv2/infer",
  doctr: "/doctr/ocr",
  easy_ocr: "/easy_ocr/ocr",
  trocr: "/ocr/trocr",
  pp_ocr: "/ocr/pp-ocr",
  sam: "/sam/segment_image",
  sam2: "/sam2/segment_image",
  sam3: "/sam3/visual_segment",
  lmm: "/infer/lmm",
  depth: "/infer/depth-estimation",
} as const;
export type CallFamily = keyof typeof FAMILY_PATHS;

export interface Capabilities {
  readonly version: string;
  readonly families: ReadonlySet<CallFamily>;
  /** Every path of the server's own description. */
  readonly paths: ReadonlySet<string>;
}

const infoSchema = z.object({ name: z.string(), version: z.string(), uuid: z.string().nullish() });
type ServerInfo = z.output<typeof infoSchema>;
const openApiSchema = z.object({ paths: z.record(z.string(), z.unknown()) });

export type CapabilityProbe = ReturnType<typeof createCapabilityProbe>;

export function createCapabilityProbe(transport: Transport) {
  let known: { readonly of: ServerInfo; readonly capabilities: Capabilities } | undefined;
  const info = (options?: SendOptions): Promise<ServerInfo> =>
    transport.send({ method: "GET", path: "/info", key: "none", timeout: "infoMs", answer: infoSchema }, options);
  return {
    info,
    /** Version and families. Read anew when the server was restarted or replaced; a failure is never kept. */
    async capabilities(options?: SendOptions): Promise<Capabilities> {
      const now = await info(options);
      if (known?.of.version === now.version && known.of.uuid === now.uuid) return known.capabilities;
      const call = { method: "GET", path: "/openapi.json", key: "none", timeout: "describeMs" } as const;
      const described = await transport.send({ ...call, gzip: true, answer: openApiSchema }, options);
      const paths = new Set(Object.keys(described.paths));
      const all = Object.entries(FAMILY_PATHS) as [CallFamily, string][];
      const families = new Set(all.filter(([, path]) => paths.has(path)).map(([family]) => family));
      known = { of: now, capabilities: { version: now.version, families, paths } };
      return known.capabilities;
    },
  };
}

/**
 * A server takes a path of two parts that it does not know for a model and answers 400, 500 or 503.
 * Calls that name their route get `unsupported` instead, with a sentence that says what is missing.
 */
export function explainMissingRoutes(transport: Transport, probe: CapabilityProbe): Transport {
  return {
    async send(call, options = {}) {
      const deadline = transport.deadlineOf(call.timeout, options);
      try {
        return await transport.send(call, options);
      } catch (error) {
        if (call.route === undefined || !(error instanceof ClientError) || !mayBeMissing(error)) throw error;
        // Whatever keeps us from knowing, the first error stands.
        const found = await probe.capabilities({ signal: options.signal, deadline }).catch(() => undefined);
        if (found === undefined || found.paths.has(call.route)) throw error;
        throw missingRoute(call.route, found.version, error);
      }
    },
    deadlineOf: (timeout, options) => transport.deadlineOf(timeout, options),
    close: () => transport.close(),
  };
}

/** An error with a type comes from the call itself; the others may come from looking for such a model. */
function mayBeMissing({ status, errorType }: ClientError): boolean {
  return errorType === undefined && status !== undefined && [400, 401, 403, 404, 405, 500, 503].includes(status);
}

function missingRoute(route: string, version: string, cause: ClientError): ClientError {
  const message = `This server (${version}) has no ${route}: it was built or started without it.`;
  return clientError("unsupported", message, { status: cause.status, cause });
}
