// reservations that have to wait → granted when others give money back, by priority and then by arrival
import type { Clock } from "../types/clock.ts";
import { type AgentError, agentError } from "../types/errors.ts";

/** Who may use the last of a limit. */
export type Priority = "alert" | "user" | "background";

/** What somebody wants to reserve. */
export interface ReservationRequest {
  /** All of them must have room. */
  readonly scopes: readonly string[];
  readonly worstMicroUsd: number;
  readonly priority: Priority;
  /** Ends the wait for money that other calls hold. */
  readonly signal?: AbortSignal | undefined;
}

/** Whether there is room: `held` when there would be, but for the reservations of others. An error when there is none. */
export type Room = "free" | "held" | AgentError;

interface QueueOptions {
  roomFor(request: ReservationRequest): Room;
  readonly clock: Pick<Clock, "sleep">;
  readonly maxWaitMs: number;
}

interface Waiter {
  readonly request: ReservationRequest;
  grant(): void;
  refuse(error: AgentError): void;
}

const RANK: Readonly<Record<Priority, number>> = { alert: 0, user: 1, background: 2 };

export class ReservationQueue {
  readonly #options: QueueOptions;
  #waiting: readonly Waiter[] = [];

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** `take` is called the moment there is room, so that nobody gets in between. Rejects with what refused or ended the wait. */
  async enter<T>(request: ReservationRequest, take: () => T): Promise<T> {
    request.signal?.throwIfAborted();
    const granted = Promise.withResolvers<T>();
    const waiter: Waiter = {
      request,
      grant: () => granted.resolve(take()),
      refuse: (error) => granted.reject(error),
    };
    this.#waiting = [...this.#waiting, waiter];
    this.wake();
    if (!this.#waiting.includes(waiter)) return granted.promise;
    const over = new AbortController();
    this.#giveUpLater(waiter, over.signal);
    // What was granted before stays granted: a promise settles once.
    const stop = (): void => granted.reject(request.signal?.reason);
    request.signal?.addEventListener("abort", stop, { once: true, signal: over.signal });
    try {
      return await granted.promise;
    } finally {
      over.abort();
      this.#leave(waiter);
      this.wake();
    }
  }

  /** To be called whenever money was spent or given back. */
  wake(): void {
    const blocked = new Set<string>();
    const inTurn = this.#waiting.toSorted((a, b) => RANK[a.request.priority] - RANK[b.request.priority]);
    for (const waiter of inTurn) {
      const { scopes, worstMicroUsd } = waiter.request;
      const room = this.#options.roomFor(waiter.request);
      const isNext = worstMicroUsd === 0 || !scopes.some((scope) => blocked.has(scope));
      if (room === "free" && isNext) {
        this.#leave(waiter);
        waiter.grant();
      } else if (typeof room === "object") {
        this.#leave(waiter);
        waiter.refuse(room);
      } else {
        for (const scope of scopes) blocked.add(scope);
      }
    }
  }

  #giveUpLater(waiter: Waiter, signal: AbortSignal): void {
    const { clock, maxWaitMs } = this.#options;
    if (maxWaitMs === 0) {
      waiter.refuse(heldByOthers(maxWaitMs));
      return;
    }
    clock.sleep(maxWaitMs, signal).then(
      () => waiter.refuse(heldByOthers(maxWaitMs)),
      (thrown: unknown) => {
        // The wait ended before; anything else is a clock that does not work.
        if (!signal.aborted) waiter.refuse(agentError("agent", "clock", "The clock does not work.", { cause: thrown }));
      },
    );
  }

  #leave(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiter);
  }
}

function heldByOthers(waitedMs: number): AgentError {
  const waited = waitedMs > 0 ? ` after ${Math.round(waitedMs / 1_000)} s` : "";
  return agentError(
    "budget",
    "daily_limit",
    `The rest of the limit is still reserved for other calls${waited}. Try again when they are done.`,
  );
}
