import type { Calibration } from './certificate-types.ts'
import type { OnDoubt } from './risk.ts'

/** A share as a percentage of at most six digits. */
function percent(share: number): string {
  return `${Number((share * 100).toPrecision(6))} %`
}

function describeReason({
  n,
  max_error: maxError,
  reason,
  rows_needed: needed,
}: Omit<Calibration, 'curve' | 'statement'>): string {
  const cause =
    reason === 'too_few_rows'
      ? `${n} rows are too few to show that at most ${percent(maxError)} of the given answers are wrong`
      : `on ${n} rows even the most confident answers do not show that at most ${percent(maxError)} of them are wrong`
  const remedy =
    needed === null
      ? 'more rows of this kind would not change that'
      : `about ${needed} rows are needed if they go on like these`
  return `Not certifiable: ${cause}; ${remedy}.`
}

/**
 * Says in words what a certificate promises, or why there is none. A version that gives its answers in doubt promises
 * nothing of all given answers, only of those at the threshold and above.
 */
export function describeCertificate(certificate: Omit<Calibration, 'curve' | 'statement'>, onDoubt: OnDoubt): string {
  const { status, confidence, max_error: maxError, basis, threshold } = certificate
  if (status === 'not_certifiable') return describeReason(certificate)
  const answers =
    onDoubt === 'abstain' ? 'the given answers' : `the answers whose confidence is at least ${threshold ?? 1}`
  const bound = `With probability ${confidence} over the calibration rows, at most ${percent(maxError)} of ${answers} are wrong, for inputs drawn as these were.`
  const promise =
    onDoubt === 'abstain' ? bound : `${bound} Answers below it are given too, and this says nothing of them.`
  if (basis === 'held_out') return promise
  return `${promise} This has no proof, since the rows were answered in cross-fitting; simulations check it.`
}
