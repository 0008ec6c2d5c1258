import { createEgressLedger } from "../egress/egress-ledger.ts";
import { type EgressRulesOptions, openEgressRules } from "../egress/egress-rules.ts";
import { createEgress, type Egress, type EgressOptions } from "../egress/open-egress.ts";
import type { EgressQuestions } from "../tools/ask-egress.ts";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.ts";

export interface FakeEgressOptions extends Partial<Pick<EgressOptions, "usual" | "remoteHosts" | "sameView">> {
  readonly files?: MemoryFiles;
  readonly now?: () => number;
  readonly onProblem?: EgressOptions["onProblem"];
}

/** The real thing on a disk that forgets. */
export async function openFakeEgress(options: FakeEgressOptions = {}): Promise<Egress> {
  const { files = createMemoryFiles(), now = Date.now, usual = "ask", remoteHosts = [] } = options;
  const { sameView = () => [], onProblem = () => undefined } = options;
  const place: EgressRulesOptions = { files, path: "/w/egress.json", now, onNotice: onProblem };
  const rules = await openEgressRules(place);
  return createEgress({
    rules,
    ledger: createEgressLedger({ files, folder: "/w/egress" }),
    usual,
    sameView,
    remoteHosts,
    now,
    onProblem,
  });
}

/** Everything may go everywhere, as on a machine that sends nothing out. */
export const OPEN_EGRESS: Egress = await openFakeEgress({ usual: "allow" });

/** Nobody is ever asked. */
export const NO_EGRESS_QUESTIONS: EgressQuestions = {
  egress: OPEN_EGRESS,
  cameras: { find: () => undefined },
  destinations: async () => [],
  isUnattended: () => false,
};
