import { ApplicationFailure } from '@temporalio/activity'
import { DomainError, KERNEL_ERRORS, type CodedFacts } from '../../core/kernel/errors.ts'
import { explainFailure } from '../../db/kernel/faults/failures.ts'

/** Attempts of an activity that fails with an unexpected error; more would only repeat a bug. */
const UNFORESEEN_ATTEMPTS = 5

/**
 * Turns an error into its Temporal form: its type is the machine code, and it is retried when the code table says that
 * repeating helps. The message names only the code, since messages of domain errors may quote an example and histories
 * hold no private data. The full message is in the job's row or the worker's log.
 */
export function toApplicationFailure(error: unknown, attempt: number): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error
  const { code, retryable } = factsOfError(error)
  const isUnforeseen = code === 'internal' && attempt >= UNFORESEEN_ATTEMPTS
  const retryAfterS = error instanceof DomainError ? error.retryAfterS : undefined
  return ApplicationFailure.create({
    type: code,
    message: EXPLANATIONS[code] ?? `${code}: the row of the job says more`,
    nonRetryable: isUnforeseen || !retryable,
    ...(retryAfterS === undefined ? {} : { nextRetryDelay: retryAfterS * 1000 }),
  })
}

/**
 * Returns the machine code of an error, one that `isCode` takes: a domain error's own, `store_unavailable` when Postgres is
 * away, else `internal`.
 */
export function codeOfError<Code extends string>(
  error: unknown,
  isCode: (text: unknown) => text is Code,
): Code | 'internal' {
  const { code } = factsOfError(error)
  return isCode(code) ? code : 'internal'
}

/** Returns the machine code of an error, of whatever area, and whether a retry helps. */
export function factsOfError(error: unknown): CodedFacts {
  const explained = explainFailure(error)
  return explained instanceof DomainError ? explained.facts : KERNEL_ERRORS.internal.facts
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  internal: 'an unexpected error; the log of the worker has it with the id of the job',
  store_unavailable: 'Postgres does not answer; tried again until it does',
  workflow_engine_unavailable: 'Temporal does not answer; tried again until it does',
  already_finished: 'the job is over already; its row says how it ended',
  compile_cancelled: 'the job was cancelled',
}
