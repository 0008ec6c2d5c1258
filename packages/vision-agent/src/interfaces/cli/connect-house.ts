// flags → a client of the house that runs on this workspace, or of one started for this command
import { join } from "node:path";
import { artifactPath } from "@vision-agent/agent-core/node";
import { createHouseClient, type HouseClient } from "./house-client.ts";
import type { HouseDoor, HouseFlags } from "./house-flags.ts";
import { UsageError } from "./usage-error.ts";

export interface HouseConnection {
  readonly client: HouseClient;
  /** Where a person finds a picture: an address while the house stays, else the file. */
  readonly pictureAt: (artifactId: string) => string;
  /** One line for people: to whom we talk. */
  readonly greeting: string;
  /** Stops what was started for this command. May be called twice. */
  close(): Promise<void>;
}

/** Throws `UsageError` when flags ask for cameras that the house which runs already does not have. */
export async function connectHouse(
  door: Pick<HouseDoor, "start" | "findRunning">,
  flags: HouseFlags,
  onNotice: (message: string) => void,
): Promise<HouseConnection> {
  const running = await door.findRunning(flags);
  if (running !== undefined) {
    const { address } = running;
    if (flags.cameras.length > 0) {
      throw new UsageError(
        `Vision Agent runs on this workspace already (${address}) with its own cameras; leave out --camera, or name another --workspace DIR.`,
      );
    }
    const client = createHouseClient(address);
    const { speaker } = await client.health();
    return {
      client,
      pictureAt: (id) => `${address}/api/artifacts/${id}`,
      greeting: `Connected to ${address}; ${speaker} answers.`,
      close: async () => undefined,
    };
  }
  const house = await door.start({ port: "0", ...flags }, onNotice);
  return {
    client: createHouseClient(house.address),
    pictureAt: (id) => artifactPath(join(house.folder, "artifacts"), id),
    greeting: `Cameras: ${house.cameras.join(", ") || "none"}; ${house.speaker} answers.`,
    close: house.stop,
  };
}
