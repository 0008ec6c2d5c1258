/** Where a gate lets a run go on. */
export class FlowControl {
  /** Selectors of the steps that go on (`$steps.name`); absent ends this way for all. */
  readonly next: readonly string[] | undefined;

  constructor(next?: readonly string[]) {
    this.next = next;
  }
}
