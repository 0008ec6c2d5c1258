/** One case of a contract. Hand it to the test runner: `it(name, run)`. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}
