import { binomialCdf, leastAnswers, upperBound } from '../../../kernel/statistics/binomial.ts'
import type { Calibration, CertificateBasis } from './certificate-types.ts'
import type { OnDoubt, Risk } from './risk.ts'
import { riskCurve, type CalibrationRow, type CurvePoint } from './risk-curve.ts'
import { describeCertificate } from './statement.ts'
import { testedPlaces } from './thresholds.ts'

/** Facts of a calibration beside its rows. */
export interface CalibrationFacts {
  readonly risk: Risk
  readonly basis: CertificateBasis
  readonly kinds: number
  /** Behaviour of the version in doubt, which the statement depends on; `abstain` when absent. */
  readonly onDoubt?: OnDoubt | undefined
}

/** More rows than any calibration has. */
const MOST_ROWS = 10_000_000

function round4(value: number): number {
  return Number(value.toFixed(4))
}

/** The level of each test: with held-out rows, the kinds that competed on them share it (Bonferroni). */
function levelOf({ risk, basis, kinds }: CalibrationFacts): number {
  return (1 - risk.confidence) / (basis === 'held_out' ? Math.max(1, kinds) : 1)
}

/** Returns the tested points whose hypothesis was rejected: the sequence stops at the first other one. */
function testSequence(path: readonly CurvePoint[], maxError: number, level: number): readonly CurvePoint[] {
  const stop = path.findIndex(({ answered, wrong }) => binomialCdf(wrong, answered, maxError) > level)
  return stop === -1 ? path : path.slice(0, stop)
}

/** Returns the rows with which the first threshold would pass if it continued as it began; null when none would do. */
function rowsNeeded({ answered, wrong }: CurvePoint, n: number, maxError: number, level: number): number | null {
  const share = answered === 0 ? 0 : wrong / answered
  const coverage = answered === 0 ? 1 : answered / n
  if (share >= maxError) return null
  for (let answers = leastAnswers(maxError, level); answers <= MOST_ROWS; answers = Math.ceil(answers * 1.05)) {
    const rows = Math.ceil(answers / coverage)
    if (rows > n && binomialCdf(Math.ceil(share * answers), answers, maxError) <= level) return rows
  }
  return null
}

/**
 * Decides a certificate from its curve by fixed-sequence testing with exact binomial bounds (Angelopoulos et al., Learn
 * then Test, arXiv 2110.01052, section on fixed sequence testing). Thresholds are tested in a fixed order, from the one
 * that a calibrated confidence asks for down to one half; the hypothesis at each is that more than `max_error` of the answers
 * given there are wrong. The last threshold before the first hypothesis that stands is certified.
 */
export function decideCertificate(curve: readonly CurvePoint[], n: number, facts: CalibrationFacts): Calibration {
  const { risk, basis, kinds, onDoubt = 'abstain' } = facts
  const { max_error: maxError, confidence } = risk
  const level = levelOf(facts)
  const { from, to } = testedPlaces(maxError)
  const path = curve.slice(from, to + 1)
  const passed = testSequence(path, maxError, level)
  const common = {
    spec: 'svc-certificate-1' as const,
    max_error: maxError,
    confidence,
    basis,
    kinds,
    n,
    tested: Math.min(path.length, passed.length + 1),
  }
  const last = passed.at(-1)
  if (last !== undefined) {
    const { threshold, answered, wrong } = last
    const body = {
      ...common,
      status: 'certified' as const,
      threshold,
      answered,
      wrong,
      coverage: round4(answered / n),
      error_bound: round4(upperBound(wrong, answered, level)),
      reason: null,
      rows_needed: null,
    }
    return { ...body, statement: describeCertificate(body, onDoubt), curve }
  }
  const first = path[0] ?? { threshold: 0, answered: 0, wrong: 0 }
  const isSmall = n < leastAnswers(maxError, level) || (first.wrong === 0 && first.answered > 0)
  const body = {
    ...common,
    status: 'not_certifiable' as const,
    threshold: null,
    answered: null,
    wrong: null,
    coverage: null,
    error_bound: null,
    reason: isSmall ? ('too_few_rows' as const) : ('too_uncertain' as const),
    rows_needed: n > 0 && first.answered === 0 && !isSmall ? null : rowsNeeded(first, n, maxError, level),
  }
  return { ...body, statement: describeCertificate(body, onDoubt), curve }
}

/** Calibrates a certificate on rows that the recipe was not fitted on. */
export function certify(rows: readonly CalibrationRow[], facts: CalibrationFacts): Calibration {
  return decideCertificate(riskCurve(rows), rows.length, facts)
}
