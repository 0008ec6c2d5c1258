// pictures that left, what people decided about them, and what they want forgotten
import {
  departuresSchema,
  egressRulesSchema,
  forgetReceiptSchema,
  forgetSchema,
  newEgressRuleSchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { toDestination } from "../../egress/destination.ts";
import { ANY } from "../../egress/egress-rules.ts";
import { unknownCamera } from "../../tools/known-source.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

const MOST_SHOWN = 1000;

export function addEgressRoutes(route: AddRoute, { egress, settings, cameras }: HttpParts): void {
  route(
    "GET /api/egress",
    {
      about:
        "Pictures that left this machine, newest first; ?camera=, ?since= and ?until= (ISO 8601), ?limit= and ?offset=",
      query: {
        camera: z.string().optional(),
        since: z.iso.datetime().optional(),
        until: z.iso.datetime().optional(),
        limit: z.coerce.number().int().min(1).max(MOST_SHOWN).default(100),
        offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
      },
      answer: departuresSchema,
    },
    async ({ query }) => {
      const { limit, offset } = query;
      // One more than asked for tells whether there is another page.
      const found = await egress.ledger.list({ ...query, limit: limit + 1 });
      return { departures: found.slice(0, limit), next: found.length > limit ? offset + limit : null };
    },
  );

  const rules = "Which cameras' pictures may be sent where: never, ask or allow";
  route("GET /api/egress/rules", { about: rules, answer: egressRulesSchema }, () => toRules({ egress, settings }));

  const change = "Decide whether pictures of a camera may be sent to a destination; * stands for all";
  route(
    "POST /api/egress/rules",
    { about: change, body: newEgressRuleSchema, answer: egressRulesSchema },
    async ({ body: { images, camera, destination } }) => {
      const known = camera === ANY ? ANY : cameras.find(camera)?.name;
      // A rule for a name that nothing has would protect nothing.
      if (known === undefined) throw notFound(unknownCamera(cameras, camera));
      await egress.rules.set([{ camera: known, destination: toHost(destination) }], images);
      return toRules({ egress, settings });
    },
  );
}

export function addForgetRoute(route: AddRoute, { forget }: HttpParts): void {
  const about =
    "Forget what cameras showed: by camera and time, event or visit. With preview it only counts, and gives examples";
  route("POST /api/forget", { about, body: forgetSchema, answer: forgetReceiptSchema }, ({ body }) => forget(body));
}

/** As a person pastes it: an address stands for its host. */
function toHost(destination: string): string {
  const written = destination.trim();
  const { host } = toDestination("server", written);
  if (host === ANY || /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/.test(host)) return host;
  throw new HttpProblem(422, "invalid", `"${written}" is no host: write it as api.example.com or 192.168.1.20:9001.`);
}

async function toRules({ egress, settings }: Pick<HttpParts, "egress" | "settings">) {
  return { usual: (await settings()).egress.images, rules: [...egress.rules.list()] };
}
