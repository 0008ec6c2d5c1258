// messages of sinks → brokers, over connections that are kept
import { readFile } from "node:fs/promises";
import type { IClientOptions, MqttClient } from "mqtt";
import type { Broker, BrokerAddress, BrokerMessage } from "../blocks/effects.ts";
import { inputError } from "../errors.ts";

export interface BrokerConnections {
  /** The kept connection, or a new one. Throws when there is none in time. */
  connect(address: BrokerAddress): Promise<Broker>;
  /** May be called twice. */
  close(): Promise<void>;
}

/** One connection for each broker and user; it comes back by itself when it breaks. */
export function createBrokerConnections(): BrokerConnections {
  const clients = new Map<string, Promise<MqttClient>>();
  return {
    async connect(address) {
      const key = JSON.stringify([address.host, address.port, address.login, address.tls]);
      const client = clients.get(key) ?? openClient(address);
      clients.set(key, client);
      try {
        return toBroker(await client);
      } catch (error) {
        clients.delete(key);
        throw error;
      }
    },
    async close() {
      const open = [...clients.values()];
      clients.clear();
      for (const client of await Promise.allSettled(open)) {
        if (client.status === "fulfilled") await client.value.endAsync(true);
      }
    },
  };
}

async function openClient({ host, port, login, tls, timeoutMs }: BrokerAddress): Promise<MqttClient> {
  // Loaded with the first connection: most workflows have none.
  const { connect: openConnection } = await import("mqtt");
  const ca = tls?.caPath === undefined ? undefined : await readFile(tls.caPath);
  const options: IClientOptions = {
    host,
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
    await connected(client, timeoutMs);
  } catch (error) {
    client.end(true);
    throw error;
  }
  // Without somebody who listens, an error of a kept connection would end the process.
  client.on("error", () => undefined);
  return client;
}

/** Waits for the first connection; what goes wrong with it is not tried again. */
function connected(client: MqttClient, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(inputError("the broker did not answer in time")), timeoutMs);
    client.once("connect", () => {
      clearTimeout(late);
      resolve();
    });
    client.once("error", (error) => {
      clearTimeout(late);
      reject(plainError(error));
    });
  });
}

function plainError(error: Error): Error {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ECONNREFUSED") return inputError("the broker refused the connection");
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return inputError("no broker has this name");
  return error;
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
