import { subscribe } from "node:diagnostics_channel";

/** Adds the host of every connection that `fetch` opens in this thread from now on. */
export function noteHosts(hosts: Set<string>): void {
  subscribe("undici:client:beforeConnect", (message) => {
    hosts.add((message as { connectParams: { hostname: string } }).connectParams.hostname);
  });
}
