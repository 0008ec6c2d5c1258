import { systemClock } from "@vision-agent/agent-core";
import { createInferenceClient, createServerFleet, type LedgerEntry } from "@vision-agent/inference-client";
import { openSource } from "@vision-agent/vision-engine";
import { createCapture } from "../backends/still-picture.ts";
import { OPEN_EGRESS } from "./fake-egress.ts";

/** A real server at this address, and what backends need beside it. */
export function openLiveFleet(url: string) {
  const client = createInferenceClient({ url, clock: systemClock });
  const fleet = createServerFleet({ servers: [{ label: "real", client }], clock: systemClock });
  let entries: readonly LedgerEntry[] = [];
  return {
    client,
    fleet,
    clock: systemClock,
    openSource,
    egress: OPEN_EGRESS,
    capture: createCapture({ openSource, clock: systemClock }),
    resize: async (bytes: Uint8Array) => ({ bytes }),
    ledger: {
      load: async () => entries,
      save: async (next: readonly LedgerEntry[]) => {
        entries = next;
      },
    },
    close() {
      fleet.close();
      client.close();
    },
  };
}
