// messages of sinks → brokers, over connections that are kept
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import type { IClientOptions, MqttClient } from "mqtt";
import type { Broker, BrokerAddress, BrokerMessage } from "../blocks/effects.ts";
import { inputError } from "../errors.ts";
import { plainError, publicAddressOf } from "./guarded-fetch.ts";

export interface BrokerConnectionsOptions {
  /** Refuses brokers on this machine and in the local network. Default false. */
  readonly publicOnly?: boolean;
}

/** One connection for each broker and user; it comes back by itself when it breaks. */
export function createBrokerConnections({ publicOnly = false }: BrokerConnectionsOptions = {}) {
  const clients = new Map<string, Promise<MqttClient>>();
  return {
    /** The kept connection, or a new one. Throws when there is none in time. */
    async connect(address: BrokerAddress): Promise<Broker> {
      const key = JSON.stringify([address.host, address.port, address.login, address.tls]);
      const client = clients.get(key) ?? openClient(address, publicOnly);
      clients.set(key, client);
      try {
        return toBroker(await client);
      } catch (error) {
        clients.delete(key);
        throw error;
      }
    },
    /** May be called twice. */
    async close(): Promise<void> {
      const open = [...clients.values()];
      clients.clear();
      for (const client of await Promise.allSettled(open)) {
        if (client.status === "fulfilled") await client.value.endAsync(true);
      }
    },
  };
}

async function openClient(
  { host, port, login, tls, timeoutMs }: BrokerAddress,
  publicOnly: boolean,
): Promise<MqttClient> {
  const address = publicOnly
    ? await publicAddressOf(host).catch((error) => Promise.reject(plainError(error, "broker")))
    : host;
  // Loaded with the first connection: most workflows have none.
  const { connect: openConnection } = await import("mqtt");
  const ca = tls?.caPath === undefined ? undefined : await readFile(tls.caPath);
  const options: IClientOptions = {
    host: address,
    // Certificates are made out to names.
    ...(tls !== undefined && isIP(host) === 0 && { servername: host }),
    port,
    protocol: tls === undefined ? "mqtt" : "mqtts",
    connectTimeout: timeoutMs,
    reconnectPeriod: 1000,
    // What could not be sent is told, not sent an hour later.
    queueQoSZero: false,
    ...(login !== undefined && { username: login.user, password: login.password }),
    ca,
  };
  const client = openConnection(options);
  try {
    // What goes wrong with the first connection is not tried again.
    await once(client as unknown as NodeJS.EventEmitter, "connect", { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    client.end(true);
    const isLate = error instanceof Error && error.name === "AbortError";
    throw isLate ? inputError("the broker did not answer in time") : plainError(error, "broker");
  }
  // Without somebody who listens, an error of a kept connection would end the process.
  client.on("error", () => undefined);
  return client;
}

function toBroker(client: MqttClient): Broker {
  return {
    async publish({ topic, payload, qos, retain, timeoutMs }: BrokerMessage) {
      if (!client.connected) throw inputError("the connection is broken and not back yet");
      const late = AbortSignal.timeout(timeoutMs);
      const tooLate = new Promise<never>((_, reject) => {
        late.addEventListener("abort", () => reject(inputError("the broker did not answer in time")), { once: true });
      });
      await Promise.race([client.publishAsync(topic, payload, { qos, retain }), tooLate]);
    },
  };
}
