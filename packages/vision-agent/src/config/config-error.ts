/** One thing wrong with the configuration. */
export interface ConfigProblem {
  /** Such as `server.port`; empty when the whole file is meant. */
  readonly key: string;
  /** Line of `config.yaml`, from 1; absent when the value came from elsewhere. */
  readonly line?: number;
  /** One sentence: where, which key, what is allowed. */
  readonly message: string;
}

/** The configuration cannot be used. Lists everything wrong, not only the first. */
export class ConfigError extends Error {
  readonly kind = "config";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ message }) => message).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}
