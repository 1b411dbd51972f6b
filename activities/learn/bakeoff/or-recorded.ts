import { isErrorCode } from '../../../core/learn/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { failContestant } from '../../../db/learn/bakeoffs/run-bakeoff.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import type { ContestantRef } from './deps.ts'

/** Attempts of an activity after which a provider that does not answer is given up. */
const MOST_ATTEMPTS = 4

/**
 * Does the work of a contestant. What it cannot do, now or later, is recorded as its reason, and 0 is returned; what another attempt may do
 * is thrown.
 */
export async function orRecorded(
  op: Operation,
  ref: ContestantRef,
  attempt: number,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DomainError) || !isErrorCode(error.code)) throw error
    const isGivenUp = error instanceof ProviderError && attempt >= MOST_ATTEMPTS
    if (error.facts.retryable && !isGivenUp) throw error
    // A provider's own text may quote the prompt, and with it a row.
    const message =
      error instanceof ProviderError ? `the provider does not answer as asked: ${error.code}` : error.message
    await failContestant(op, ref, { code: error.code, message })
    return 0
  }
}
