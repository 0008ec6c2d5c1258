export interface Cooldown {
  /** Whether less than `seconds` have passed since the last start. */
  applies(key: string, seconds: number): boolean;
  start(key: string): void;
}

/** By wall clock. `shared` holds the last starts of all that share them; by default nobody does. */
export function createCooldown(now: () => number, shared: Map<string, number> = new Map()): Cooldown {
  return {
    applies(key, seconds) {
      const last = shared.get(key);
      return last !== undefined && now() - last < seconds * 1000;
    },
    start(key) {
      shared.set(key, now());
    },
  };
}
