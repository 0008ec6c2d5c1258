// ledger records → what each scope spent and holds, day by day
import type { LedgerRecord } from "./ledger-store.ts";

export interface Balance {
  readonly spentMicroUsd: number;
  readonly reservedMicroUsd: number;
}

type ReserveRecord = Extract<LedgerRecord, { type: "reserve" }>;

const NOTHING: Balance = { spentMicroUsd: 0, reservedMicroUsd: 0 };
/** Days that are kept when the book is written anew. */
const KEPT_DAYS = 31;

/** The sums behind the ledger. The same records in the same order give the same book. */
export class LedgerBook {
  readonly #days = new Map<string, Map<string, Balance>>();
  readonly #open = new Map<string, ReserveRecord>();

  balance(day: string, scope: string): Balance {
    return this.#days.get(day)?.get(scope) ?? NOTHING;
  }

  /** The reservation that has not ended yet. */
  reservation(id: string): ReserveRecord | undefined {
    return this.#open.get(id);
  }

  openReservations(): readonly ReserveRecord[] {
    return [...this.#open.values()];
  }

  /** The end of a reservation that is not open changes nothing: it ended before. */
  apply(record: LedgerRecord): void {
    switch (record.type) {
      case "spent":
        this.#add(record.day, record.scope, { spent: record.micro_usd, reserved: 0 });
        break;
      case "reserve":
        this.#open.set(record.id, record);
        this.#addToAll(record, { spent: 0, reserved: record.micro_usd });
        break;
      case "settle":
      case "release": {
        const reserved = this.#open.get(record.id);
        if (!reserved) return;
        this.#open.delete(record.id);
        const spent = record.type === "settle" ? record.micro_usd : 0;
        this.#addToAll(reserved, { spent, reserved: -reserved.micro_usd });
      }
    }
  }

  /** As few records as give the same book, older days left out. */
  toRecords(): readonly LedgerRecord[] {
    const kept = [...this.#days.keys()].sort().slice(-KEPT_DAYS);
    const spent = kept.flatMap((day) =>
      [...(this.#days.get(day) ?? [])].map(
        ([scope, { spentMicroUsd }]) => ({ type: "spent", day, scope, micro_usd: spentMicroUsd }) as const,
      ),
    );
    return [...spent.filter(({ micro_usd }) => micro_usd > 0), ...this.#open.values()];
  }

  #addToAll({ day, scopes }: ReserveRecord, change: { readonly spent: number; readonly reserved: number }): void {
    for (const scope of scopes) this.#add(day, scope, change);
  }

  #add(day: string, scope: string, change: { readonly spent: number; readonly reserved: number }): void {
    const before = this.balance(day, scope);
    const scopes = this.#days.get(day) ?? new Map<string, Balance>();
    this.#days.set(day, scopes);
    scopes.set(scope, {
      spentMicroUsd: before.spentMicroUsd + change.spent,
      reservedMicroUsd: before.reservedMicroUsd + change.reserved,
    });
  }
}
