import type { Alternative } from './agreement.ts'
import { binomialCdf, leastAnswers, upperBound } from './binomial.ts'
import type { Risk } from './risk.ts'
import { riskCurve, type CalibrationRow, type CurvePoint } from './risk-curve.ts'
import { describeCertificate } from './statement.ts'
import { firstTested } from './thresholds.ts'

/** How the rows of a calibration were answered: by a recipe that never saw them, or in cross-fitting. */
export type CertificateBasis = 'held_out' | 'cross_fit'

/** A risk certificate, or the reason why there is none. */
export interface Certificate {
  readonly spec: 'svc-certificate-1'
  readonly status: 'certified' | 'not_certifiable'
  readonly max_error: number
  readonly confidence: number
  readonly basis: CertificateBasis
  /** Kinds of recipes that competed on the rows; with `held_out` each test has a level of (1 - confidence) / kinds. */
  readonly kinds: number
  /** Rows of the calibration. */
  readonly n: number
  /** Thresholds that were tested, the one that ended the sequence included. */
  readonly tested: number
  /** Lowest confidence of an answer that is given; null when not certified, like the five figures below. */
  readonly threshold: number | null
  readonly answered: number | null
  readonly wrong: number | null
  readonly coverage: number | null
  /** Upper Clopper–Pearson bound of the share of wrong answers at the threshold. */
  readonly error_bound: number | null
  readonly reason: 'too_few_rows' | 'too_uncertain' | null
  /** Rows that a certificate needs, as far as these rows tell; null when certified, and when more rows do not help. */
  readonly rows_needed: number | null
  readonly statement: string
  readonly curve: readonly CurvePoint[]
  /** Of a program: others that are right on the same rows; their agreement is the confidence of an answer. */
  readonly alternatives: readonly Alternative[]
}

/** What follows from the rows. */
export type Calibration = Omit<Certificate, 'alternatives'>

/** Facts of a calibration beside its rows. */
export interface CalibrationFacts {
  readonly risk: Risk
  readonly basis: CertificateBasis
  readonly kinds: number
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

/** Returns the places of the tested thresholds whose hypothesis was rejected: the sequence stops at the first other one. */
function testSequence(curve: readonly CurvePoint[], maxError: number, level: number): readonly CurvePoint[] {
  const path = curve.slice(firstTested(maxError))
  const stop = path.findIndex(({ answered, wrong }) => binomialCdf(wrong, answered, maxError) > level)
  return stop === -1 ? path : path.slice(0, stop)
}

/** Returns the rows with which the first threshold would pass if it went on as it began; null when none would do. */
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
 * that a calibrated confidence asks for downwards; the hypothesis at each is that more than `max_error` of the answers
 * given there are wrong. The last threshold before the first hypothesis that stands is certified.
 */
export function decideCertificate(curve: readonly CurvePoint[], n: number, facts: CalibrationFacts): Calibration {
  const { risk, basis, kinds } = facts
  const { max_error: maxError, confidence } = risk
  const level = levelOf(facts)
  const passed = testSequence(curve, maxError, level)
  const path = curve.slice(firstTested(maxError))
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
    return { ...body, statement: describeCertificate(body), curve }
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
  return { ...body, statement: describeCertificate(body), curve }
}

/** Calibrates a certificate on rows that the recipe was not fitted on. */
export function certify(rows: readonly CalibrationRow[], facts: CalibrationFacts): Calibration {
  return decideCertificate(riskCurve(rows), rows.length, facts)
}
