// faults on demand → a request answered badly, or not at all
import type { ServerResponse } from "node:http";
import type { Fault } from "./fake-server.ts";

interface ActiveFault {
  readonly fault: Fault;
  left: number;
}

/** The faults in force. The newest one that matches strikes. */
export class Faults {
  readonly #active: ActiveFault[] = [];
  readonly #held = new Set<ServerResponse>();

  add(fault: Fault): void {
    this.#active.unshift({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  /** Forgets every fault and cuts the requests it holds. */
  clear(): void {
    this.#active.length = 0;
    for (const response of this.#held) response.destroy();
    this.#held.clear();
  }

  /** The fault for this request, used up by one. */
  take(path: string): Fault | undefined {
    const index = this.#active.findIndex(({ fault }) => fault.path === undefined || fault.path.test(path));
    const active = this.#active[index];
    if (active === undefined) return undefined;
    active.left -= 1;
    if (active.left <= 0) this.#active.splice(index, 1);
    return active.fault;
  }

  /** Answers as the fault says. Returns the status, or `undefined` when none was sent in full. */
  strike(fault: Fault, response: ServerResponse): number | undefined {
    switch (fault.kind) {
      case "hang":
        this.#hold(response);
        return undefined;
      case "reset":
        response.socket?.resetAndDestroy();
        return undefined;
      case "garbage":
        response.writeHead(200, { "content-type": "application/json" }).end('<html>{"models": [nonsense');
        return 200;
      case "drip":
        this.#drip(response, fault.everyMs ?? 50);
        return undefined;
      case "status": {
        const headers: Record<string, string> = { "content-type": "application/json" };
        if (fault.retryAfterS !== undefined) headers["retry-after"] = String(fault.retryAfterS);
        const body = fault.body ?? { message: "Model is temporarily not ready - retry request." };
        response.writeHead(fault.status, headers).end(JSON.stringify(body));
        return fault.status;
      }
    }
  }

  #hold(response: ServerResponse): void {
    this.#held.add(response);
    response.on("close", () => this.#held.delete(response));
  }

  /** A byte at a time and never an end. */
  #drip(response: ServerResponse, everyMs: number): void {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("{");
    const timer = setInterval(() => response.write(" "), everyMs);
    response.on("close", () => clearInterval(timer));
    this.#hold(response);
  }
}
