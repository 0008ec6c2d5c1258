/** What happens to a new frame when the buffer is full, as InferencePipeline names it. */
export type FillingStrategy = "WAIT" | "DROP_OLDEST" | "DROP_LATEST" | "ADAPTIVE_DROP_OLDEST" | "ADAPTIVE_DROP_LATEST";

/** Which frame of the buffer is given: `LAZY` the oldest, `EAGER` the newest, leaving out the others. */
export type ConsumptionStrategy = "LAZY" | "EAGER";

/** How frames wait for who takes them. */
export interface BufferStrategy {
  readonly filling: FillingStrategy;
  readonly consumption: ConsumptionStrategy;
  /** Most frames that wait. More smooth out a consumer that is slow at times and cost memory and delay. */
  readonly size: number;
}

/** Files lose nothing; live sources give what is newest. */
export function bufferStrategy(live: boolean, wanted: Partial<BufferStrategy> = {}): BufferStrategy {
  const standard: BufferStrategy = live
    ? { filling: "DROP_OLDEST", consumption: "EAGER", size: 2 }
    : { filling: "WAIT", consumption: "LAZY", size: 4 };
  return { ...standard, ...wanted };
}
