import { createCountingIds } from "@vision-agent/agent-core/testing";
import { type CameraAdmin, type CameraAdminOptions, createCameraAdmin } from "../tools/camera-admin.ts";
import { createRunOrders, type RunOrders } from "../tools/undo/run-orders.ts";
import { NO_INTENTS } from "../tools/undo/undo-intents.ts";
import { createUndoJournal, type UndoJournal, type UndoJournalOptions } from "../tools/undo/undo-journal.ts";

/** A registry that makes no watch. */
export const NO_NEW_WATCHES = {
  create: async (): Promise<never> => {
    throw new Error("Nobody watches here.");
  },
} as const;

/** Nothing but the cameras themselves, unless something else is given. */
export function fakeCameraAdmin(
  options: Pick<CameraAdminOptions, "cameras"> & Partial<CameraAdminOptions>,
): CameraAdmin {
  const none = async (): Promise<never> => {
    throw new Error("Nobody asks here.");
  };
  return createCameraAdmin({
    pipelines: { list: () => [], stop: none, renameCamera: async () => undefined },
    watches: { list: () => [], update: none, remove: none, renameCamera: async () => undefined },
    places: { renameCamera: async () => undefined },
    names: {
      begin: async () => undefined,
      finish: async () => undefined,
      settle: async () => undefined,
      underWay: () => undefined,
    },
    recordings: { renameCamera: async () => undefined },
    events: { renameCamera: async () => undefined },
    rules: { moveCamera: async () => undefined },
    accounts: { list: () => [], change: none },
    credentials: { take: async (value) => value },
    ...options,
  });
}

/** Each run is an order of its own. */
export const fakeOrders: RunOrders = createRunOrders(() => undefined);

/** A log in memory. */
export function memoryLog<T>(entries: T[] = []) {
  return {
    entries: () => entries,
    append: async (entry: T) => void entries.push(entry),
    async rewrite(change: (entry: T) => T | undefined) {
      entries.splice(0, entries.length, ...entries.flatMap((entry) => change(entry) ?? []));
    },
  };
}

/** Knows how to put back what it is given; by default nothing. */
export function fakeUndo(options: Partial<UndoJournalOptions> = {}): UndoJournal {
  return createUndoJournal({
    log: memoryLog(),
    intents: NO_INTENTS,
    kinds: {},
    now: () => Date.UTC(2026, 0, 1, 10),
    ids: createCountingIds(),
    redact: (value) => value,
    onProblem: (message) => {
      throw new Error(message);
    },
    ...options,
  });
}
