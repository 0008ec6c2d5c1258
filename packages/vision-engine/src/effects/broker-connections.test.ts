import { createServer, type Server } from "node:net";
import { Aedes } from "aedes";
import { afterEach, describe, expect, it } from "vitest";
import type { BrokerAddress } from "../blocks/effects.ts";
import { createBrokerConnections } from "./broker-connections.ts";

describe("broker connections", () => {
  it("publishes over one kept connection", async () => {
    const { address, published, connections } = await listen();
    const brokers = createBrokerConnections();
    open.push(brokers.close);
    const first = await brokers.connect(address);
    await first.publish({ topic: "alarm", payload: "one", qos: 1, retain: false, timeoutMs: 2000 });
    const second = await brokers.connect(address);
    await second.publish({ topic: "alarm", payload: "two", qos: 0, retain: false, timeoutMs: 2000 });
    await expect.poll(() => published).toEqual(["alarm one", "alarm two"]);
    expect(connections()).toBe(1);
  });

  it("says that nobody listens, and connects once somebody does", async () => {
    const { address, server } = await listen();
    const { port } = address;
    await new Promise<void>((done) => server.close(() => done()));
    const brokers = createBrokerConnections();
    open.push(brokers.close);
    await expect(brokers.connect(address)).rejects.toThrow("refused the connection");
    await listen(port);
    await expect(brokers.connect(address)).resolves.toBeDefined();
  });

  it("reaches no broker in the local network unless that is allowed", async () => {
    const { address, connections } = await listen();
    const brokers = createBrokerConnections({ publicOnly: true });
    open.push(brokers.close);
    for (const host of ["localhost", "127.0.0.1", "::1", "10.0.0.7"]) {
      await expect(brokers.connect({ ...address, host })).rejects.toThrow("is not a public address");
    }
    expect(connections()).toBe(0);
  });

  it("does not tell the password when the broker does not take it", async () => {
    const { address } = await listen(0, "right");
    const brokers = createBrokerConnections();
    open.push(brokers.close);
    const wrong = { ...address, login: { user: "camera", password: "wrong-password" } };
    await expect(brokers.connect(wrong)).rejects.toThrow(/^(?!.*wrong-password)/);
  });
});

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function listen(port = 0, password?: string) {
  const published: string[] = [];
  let connected = 0;
  const broker = await Aedes.createBroker({
    authenticate: (_, __, given, done) => done(null, password === undefined || String(given) === password),
  });
  broker.on("publish", ({ topic, payload }, client) => {
    if (client) published.push(`${topic} ${payload}`);
  });
  broker.on("client", () => {
    connected += 1;
  });
  const server: Server = createServer(broker.handle);
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  open.push(async () => {
    await new Promise<void>((done) => broker.close(done));
    server.close();
  });
  const bound = server.address();
  const address: BrokerAddress = {
    host: "127.0.0.1",
    port: typeof bound === "object" && bound !== null ? bound.port : port,
    timeoutMs: 2000,
  };
  return { address, published, server, connections: () => connected };
}
