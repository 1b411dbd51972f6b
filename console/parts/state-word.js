/**
 * The console's word for states that the service names in several ways: what ended well is ready, be it a compile, an
 * evaluation or a run.
 *
 * @type {Readonly<Record<string, string>>}
 */
const WORDS = { completed: 'ready', succeeded: 'ready' }

/**
 * Returns the word for a state of a job, run, version or evaluation, with the error where it has one.
 *
 * @param {string} state as the service names it
 * @param {string | null} [error] why it failed
 */
export function stateWord(state, error = null) {
  const word = WORDS[state] ?? state
  return error === null ? word : `${word}: ${error}`
}
