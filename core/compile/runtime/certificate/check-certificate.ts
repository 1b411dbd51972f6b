import { canonicalJson } from '../../../kernel/json/json.ts'
import { decideCertificate, type CalibrationFacts } from './certificate.ts'
import { riskCurve } from './risk-curve.ts'
import { THRESHOLDS } from './thresholds.ts'
import { countKinds } from '../../stages/judge/certify-results.ts'
import type { ContentMembers } from '../../archive/members/content.ts'
import { isFolded, type EvalsDocument } from '../../archive/members/documents.ts'
import { toJsonObject } from '../../archive/members/members-json.ts'
import type { CertificateDocument } from '../../archive/schemas/certificate.ts'
import type { UnpackedArchive } from '../../archive/unpack.ts'
import { demand } from '../../archive/verify/demand.ts'

/** Weights have six decimals. */
const WEIGHT_ROUNDING = 1e-5

/**
 * Checks that the certificate follows from the rows of evals.json: its curve from their confidences, and everything
 * else from the curve. Where rows are hidden, the curve must be possible with those shown.
 */
export function checkCertificate({ build }: Pick<UnpackedArchive, 'build'>, content: ContentMembers): string {
  const { certificate, evals, verifier } = content
  if (certificate === null) return 'no risk was named'
  demand(verifier.spec === 'svc-verifier-2', 'certificate.json: this verifier is not applied by runs')
  demand(evals.spec === 'svc-evals-2', 'certificate.json: the rows have no confidence')
  demand(certificate.n === evals.n, `certificate.json counts ${certificate.n} rows, not ${evals.n}`)
  checkCurve(certificate, evals)
  checkAlternatives(certificate, content)
  const { max_error, confidence } = certificate
  const facts: CalibrationFacts = {
    risk: { max_error, confidence },
    basis: isFolded(evals) ? 'cross_fit' : 'held_out',
    kinds: countKinds(build.samples),
    onDoubt: verifier.on_doubt,
  }
  const given = toJsonObject(decideCertificate(certificate.curve, evals.n, facts))
  const stated = toJsonObject(certificate)
  const other = Object.keys(given).find(
    (name) => canonicalJson(given[name] ?? null) !== canonicalJson(stated[name] ?? null),
  )
  demand(
    other === undefined,
    `certificate.json: ${other} is ${canonicalJson(stated[other ?? ''] ?? null)}, the rows give ${canonicalJson(given[other ?? ''] ?? null)}`,
  )
  return certificate.statement
}

function checkAlternatives({ alternatives }: CertificateDocument, { recipe }: ContentMembers): void {
  demand(alternatives.length === 0 || recipe.kind === 'program', 'certificate.json: only a program has alternatives')
  const sum = alternatives.reduce((total, { weight }) => total + weight, 0)
  demand(sum <= 1 + WEIGHT_ROUNDING, 'certificate.json: the alternatives have more than the whole posterior')
}

function checkCurve({ curve }: CertificateDocument, evals: Extract<EvalsDocument, { spec: 'svc-evals-2' }>): void {
  const rows = evals.digests ?? evals.rows
  const shown = riskCurve(rows)
  const hidden = evals.n - rows.length
  demand(curve.length === THRESHOLDS.length, 'certificate.json: the curve has other thresholds')
  let before = { answered: 0, wrong: 0 }
  for (const [place, point] of curve.entries()) {
    const { threshold, answered, wrong } = point
    const least = shown[place] ?? { threshold: Number.NaN, answered: 0, wrong: 0 }
    demand(threshold === least.threshold, 'certificate.json: the curve has other thresholds')
    const more = answered - least.answered
    const moreWrong = wrong - least.wrong
    const isPossible = moreWrong >= 0 && moreWrong <= more && more <= hidden
    demand(isPossible, `certificate.json: the rows give another curve at the threshold ${threshold}`)
    const isRising = wrong >= before.wrong && wrong - before.wrong <= answered - before.answered
    demand(isRising, `certificate.json: the curve falls at the threshold ${threshold}`)
    before = point
  }
  const { answered, wrong } = before
  const isBounded = answered <= evals.n - evals.abstained && wrong <= evals.n - evals.correct - evals.abstained
  demand(isBounded, 'certificate.json: the curve counts more answers than evals.json')
}
