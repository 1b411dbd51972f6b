import { z } from 'zod'
import { hashJson, type Sha256 } from '../../../kernel/json/json.ts'
import FROZEN from './quality-cases.json' with { type: 'json' }

/** Task types of the rows. */
export const QUALITY_TASKS = [
  'extraction',
  'generation',
  'classification',
  'privacy',
  'code',
  'legal',
  'translation',
  'safety',
] as const

/** Dimensions that a judge is asked for. */
export const QUALITY_DIMENSIONS = ['task_success', 'factuality', 'format', 'safety', 'privacy', 'robustness'] as const

/** Thresholds that a judge has to reach before its figures may be published. */
export const QUALITY_THRESHOLDS = {
  min_cases: 16,
  pass_threshold: 0.65,
  min_agreement: 0.85,
  min_f1: 0.85,
  max_brier: 0.18,
} as const

/** A row for a judge: what was asked, what was answered, and whether the answer is good. */
export const QualityRow = z.object({
  id: z.string(),
  task_type: z.enum(QUALITY_TASKS),
  prompt: z.string(),
  output: z.string(),
  gold: z.enum(['pass', 'fail']),
  why: z.string(),
  near_threshold: z.boolean(),
})

const QualityCases = z.object({
  spec: z.literal('svc-quality-calibration-1'),
  frozen_at: z.iso.datetime(),
  rows: z.array(QualityRow),
})

/** Why no figure of a judge is served. */
export const NO_JUDGE = 'this release was made without a judge'

/** Returns the frozen rows for judges with the digest of their RFC 8785 form. */
export function qualityCases(): { readonly cases: z.infer<typeof QualityCases>; readonly sha256: Sha256 } {
  return { cases: QualityCases.parse(FROZEN), sha256: hashJson(z.json().parse(FROZEN)) }
}
