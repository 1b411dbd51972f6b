import type { Alternative } from '../../runtime/certificate/agreement.ts'
import { certify } from '../../runtime/certificate/certificate.ts'
import type { Certificate } from '../../runtime/certificate/certificate-types.ts'
import type { DoubtChoices } from '../../runtime/certificate/risk.ts'
import type { Split } from '../../rows/split/split-report.ts'
import type { RowResult } from '../scoring/score-types.ts'
import type { SampleRecord } from '../stage-types.ts'
import { withDoubt } from '../verifier/synthesize-verifier.ts'
import type { Verifier } from '../verifier/verifier-types.ts'

/** Counts the kinds whose winners competed on the rows: the choice between them uses the rows too. */
export function countKinds(
  samples: readonly { readonly kind: string; readonly verdict: { readonly chosen: string } }[],
): number {
  return samples.filter(({ kind, verdict }) => kind !== 'label' && verdict.chosen === 'winner').length
}

/** Returns the certificate that the scored rows give; null when none was asked for. */
export function certifyResults(
  results: readonly RowResult[],
  facts: {
    readonly choices: DoubtChoices
    readonly mode: Split['mode']
    readonly samples: readonly SampleRecord[]
    readonly alternatives?: readonly Alternative[] | undefined
  },
): Certificate | null {
  const { risk } = facts.choices
  if (risk === undefined) return null
  const basis = facts.mode === 'cross_fit' || facts.mode === 'leave_one_out' ? 'cross_fit' : 'held_out'
  const certificate = certify(results, {
    risk,
    basis,
    kinds: countKinds(facts.samples),
    onDoubt: facts.choices.on_doubt,
  })
  return { ...certificate, alternatives: facts.alternatives ?? [] }
}

/** Returns true for a verifier of earlier versions, which runs do not apply. */
export function isEarlierVerifier({ spec }: { readonly spec: string }): boolean {
  return spec === 'svc-verifier-1'
}

/**
 * Returns the verifier with the behaviour in doubt: the caller's, else `abstain` under a certificate. A verifier of
 * earlier versions has none.
 */
export function settleDoubt(verifier: Verifier, certificate: Certificate | null, choices: DoubtChoices): Verifier {
  if (isEarlierVerifier(verifier)) return verifier
  const usual = certificate?.status === 'certified' ? 'abstain' : 'answer'
  return withDoubt(verifier, choices.on_doubt ?? usual)
}
