// a line of the API: address, what it takes and answers, what it does → a route of the server
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { z } from "zod";
import type { Identity } from "../../access/identity.ts";
import type { RouteRole } from "./guard.ts";
import type { HttpServer } from "./http-parts.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Names in an address: `id` of `/api/runs/:id/cancel`; `*` takes the rest, slashes included. */
type NamesIn<A extends string> = A extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : A extends `${string}:${infer Name}`
    ? Name
    : A extends `${string}/*`
      ? "*"
      : never;

interface RouteParts<Q extends z.ZodRawShape, B extends z.ZodType, A extends z.ZodType> {
  /** One sentence of the OpenAPI document; absent keeps the route out of it. */
  readonly about?: string;
  readonly query?: Q;
  readonly body?: B;
  /** The body of a good answer; absent for bytes and streams. */
  readonly answer?: A;
  /** Of a good answer. Default 200. */
  readonly status?: 200 | 201 | 202;
  /** A response without an end, which nobody may ask for with HEAD. Default false. */
  readonly streams?: boolean;
  /** A viewer's route asks `who` for the cameras it may tell of. Default `owner`. */
  readonly role?: RouteRole;
}

/** Sees nothing: an open route has no sender to ask. */
const NOBODY: Identity = { name: "nobody", role: "viewer", cameras: [], ended: new AbortController().signal };

type RouteInput<N extends string, Q extends z.ZodRawShape, B extends z.ZodType> = Readonly<Record<N, string>> & {
  readonly query: z.output<z.ZodObject<Q>>;
  readonly body: z.output<B>;
  readonly request: FastifyRequest;
  /** Who asks. */
  readonly who: Identity;
};

type Listed<T> = T extends readonly (infer E)[] ? readonly E[] : T;

/** Adds a route. What its function throws becomes the one error body of the API. */
export type AddRoute = <
  const A extends `${Method} /${string}`,
  Q extends z.ZodRawShape = Record<never, never>,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUnknown,
>(
  address: A,
  parts: RouteParts<Q, B, R>,
  answer: (
    input: RouteInput<NamesIn<A>, Q, B>,
    reply: FastifyReply,
  ) => Listed<z.input<R>> | FastifyReply | Promise<Listed<z.input<R>> | FastifyReply>,
) => void;

const WHO_MAY = { viewer: "For owners and viewers.", owner: "For owners." } as const;

export function createAddRoute(server: HttpServer): AddRoute {
  return (address, { about, query, body, answer, status = 200, streams = false, role = "owner" }, give) => {
    const [method = "GET", url = ""] = address.split(" ");
    const names = url.match(/(?<=:)\w+|\*$/g) ?? [];
    const schema = {
      ...(about === undefined ? { hide: true } : { summary: about }),
      ...(role === "open" ? { security: [] } : { description: WHO_MAY[role] }),
      ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
      ...(query && { querystring: z.object(query) }),
      // A misspelt key is a mistake that somebody wants to hear of.
      ...(body && { body: body instanceof z.ZodObject ? body.strict() : body }),
      ...(answer && { response: { [status]: answer } }),
    };
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const { params, query: asked, body: sent } = request;
      const who = request.identity ?? NOBODY;
      const given = await give({ ...Object(params), query: asked, body: sent, request, who }, reply);
      // A reply that is under way says by itself what it is.
      return reply.sent ? reply : reply.code(status).send(given);
    };
    server.route({
      method,
      url,
      schema,
      handler,
      config: { role },
      ...(streams && { exposeHeadRoute: false }),
    } as RouteOptions);
  };
}
