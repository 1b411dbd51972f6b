/** Exit code of a process whose settings are wrong: EX_CONFIG of sysexits.h. Another start gives the same. */
export const WRONG_SETTINGS_EXIT = 78

/** Thrown when environment variables are wrong or absent; the message names every one of them. */
export class EnvironmentError extends Error {
  readonly problems: readonly string[]

  constructor(headline: string, problems: readonly string[]) {
    super([headline, ...problems.map((problem) => `  ${problem}`)].join('\n'))
    this.name = 'EnvironmentError'
    this.problems = problems
  }
}
