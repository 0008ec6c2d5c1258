/** A promise of the library or of the product, in one line. */
export interface Requirement {
  /** As it stands in the names of tests. */
  readonly id: string;
  readonly says: string;
  /** Why no test names it. Absent: a test must, or the id is listed as open. */
  readonly without?: string;
  /** What is not done or not proven, whatever tests name it: the id is listed as open. */
  readonly missing?: string;
  /** A criterion that is another requirement seen from elsewhere: its tests count where none names the criterion. */
  readonly as?: string;
}

export interface RequirementGroup {
  readonly title: string;
  readonly requirements: readonly Requirement[];
}
