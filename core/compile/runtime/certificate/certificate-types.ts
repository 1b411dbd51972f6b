import type { Alternative } from './agreement.ts'
import type { CurvePoint } from './risk-curve.ts'

/** Source of the answers to the rows of a calibration: by a recipe that never saw them, or in cross-fitting. */
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

/** Facts derived from the rows. */
export type Calibration = Omit<Certificate, 'alternatives'>
