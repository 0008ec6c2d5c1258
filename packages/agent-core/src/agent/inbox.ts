/** What a person says while the run goes on. Nothing is lost: what was not heard is given back at the end. */
export class Inbox {
  #steering: string[] = [];
  #followUps: string[] = [];
  #open = true;

  /** Heard before the next model call. */
  steer(text: string): "queued" | "run_over" {
    if (!this.#open) return "run_over";
    this.#steering.push(text);
    return "queued";
  }

  /** Heard when the run would otherwise end. */
  followUp(text: string): "queued" | "run_over" {
    if (!this.#open) return "run_over";
    this.#followUps.push(text);
    return "queued";
  }

  takeSteering(): readonly string[] {
    return this.#steering.splice(0);
  }

  /** Unless something is to be heard anyway, moves the oldest follow-up there. False when nobody has anything to say. */
  promote(): boolean {
    if (this.#steering.length === 0) this.#steering.push(...this.#followUps.splice(0, 1));
    return this.#steering.length > 0;
  }

  /** Takes nothing more. May be called twice. */
  close(): void {
    this.#open = false;
  }

  /** Everything that nobody heard. */
  takeUnheard(): readonly string[] {
    return [...this.#steering.splice(0), ...this.#followUps.splice(0)];
  }
}
