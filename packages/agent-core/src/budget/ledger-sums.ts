// records of a ledger → what is spent and reserved, by day and scope
import type { LedgerRecord } from "./ledger-store.ts";

interface Balance {
  readonly spentMicroUsd: number;
  readonly reservedMicroUsd: number;
}

type ReserveRecord = Extract<LedgerRecord, { type: "reserve" }>;

const NOTHING: Balance = { spentMicroUsd: 0, reservedMicroUsd: 0 };
/** Days that are kept when the records are written anew. */
const KEPT_DAYS = 31;

/** The sums behind the ledger. The same records in the same order give the same sums. */
export class LedgerSums {
  readonly #days = new Map<string, Map<string, Balance>>();
  readonly #open = new Map<string, ReserveRecord>();

  balance(day: string, scope: string): Balance {
    return this.#days.get(day)?.get(scope) ?? NOTHING;
  }

  /** Spent and reserved on the other days of the same month. */
  earlierInMonth(day: string, scope: string): number {
    const month = day.slice(0, "2026-01".length);
    const others = [...this.#days].filter(([other]) => other.startsWith(month) && other !== day);
    return others.reduce((sum, [, balances]) => {
      const { spentMicroUsd, reservedMicroUsd } = balances.get(scope) ?? NOTHING;
      return sum + spentMicroUsd + reservedMicroUsd;
    }, 0);
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
        this.#add(record.day, [record.scope], record.micro_usd, 0);
        break;
      case "reserve":
        this.#open.set(record.id, record);
        this.#add(record.day, record.scopes, 0, record.micro_usd);
        break;
      case "settle":
      case "release": {
        const reserved = this.#open.get(record.id);
        if (!reserved) return;
        this.#open.delete(record.id);
        const spent = record.type === "settle" ? record.micro_usd : 0;
        this.#add(reserved.day, reserved.scopes, spent, -reserved.micro_usd);
      }
    }
  }

  /** As few records as give the same sums, older days left out. */
  toRecords(): readonly LedgerRecord[] {
    const kept = [...this.#days.keys()].sort().slice(-KEPT_DAYS);
    const spent = kept.flatMap((day) =>
      [...(this.#days.get(day) ?? [])].map(
        ([scope, { spentMicroUsd }]) => ({ type: "spent", day, scope, micro_usd: spentMicroUsd }) as const,
      ),
    );
    return [...spent.filter(({ micro_usd }) => micro_usd > 0), ...this.#open.values()];
  }

  #add(day: string, scopes: readonly string[], spent: number, reserved: number): void {
    const balances = this.#days.get(day) ?? new Map<string, Balance>();
    this.#days.set(day, balances);
    for (const scope of scopes) {
      const { spentMicroUsd, reservedMicroUsd } = balances.get(scope) ?? NOTHING;
      balances.set(scope, { spentMicroUsd: spentMicroUsd + spent, reservedMicroUsd: reservedMicroUsd + reserved });
    }
  }
}
