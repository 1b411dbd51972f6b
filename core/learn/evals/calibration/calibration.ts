import { z } from 'zod'
import { CASE_CLASSES, type CaseClass } from './cases.ts'
import MEASURED from './measured.json' with { type: 'json' }

/** The K-score from which a case passes. */
export const CALIBRATION_GATE = 0.85

const Share = z.number().min(0).max(1)

/** The score of the engine on one case; null where it found no recipe. */
const CaseResult = z.object({
  id: z.string(),
  class: z.enum(CASE_CLASSES),
  recipe: z
    .object({
      kind: z.string(),
      composite: Share,
      accuracy: Share,
      coverage: Share,
      n: z.int().positive(),
      interval: z.object({ low: Share, high: Share }),
      size_bytes: z.int(),
      p50_latency_us: z.number(),
      axes: z.object({ A: Share, S: Share, L: Share.nullable(), V: Share }),
      /** Rows that neither the compile nor its evaluation saw, and how many of them came out right. */
      test_rows: z.int().positive(),
      test_right: z.int(),
      /** True when the interval holds the share of right answers. */
      held: z.boolean(),
    })
    .nullable(),
})
/** The score of the engine on one case. */
export type CaseResult = z.infer<typeof CaseResult>

/** A measurement of the engine on the frozen cases, as `npm run bench -- calibration` writes it. */
export const Measurement = z.object({
  spec: z.literal('svc-k-calibration-1'),
  measured_at: z.iso.datetime(),
  engine: z.object({ library: z.string(), runtime: z.string(), compiler: z.string() }),
  cases_sha256: z.string(),
  results: z.array(CaseResult),
})
/** A measurement of the engine on the frozen cases. */
export type Measurement = z.infer<typeof Measurement>

let known: Measurement | undefined

/** Returns the measurement that was made at release. */
export function measuredCalibration(): Measurement {
  known ??= Measurement.parse(MEASURED)
  return known
}

/** A summary of the results. */
export interface CalibrationSummary {
  readonly n: number
  readonly pass: number
  readonly fail: number
  readonly passRate: number
  readonly byClass: Readonly<Record<CaseClass, { readonly n: number; readonly pass: number }>>
  /** Means over the cases with a recipe, of the axes that were measured. */
  readonly axisMeans: Readonly<Record<'A' | 'S' | 'L' | 'V', number>>
  /** Mean over all cases; 0 for one without a recipe. */
  readonly compositeMean: number
  /** Cases whose 95 % interval holds the accuracy on rows that the compile did not see. */
  readonly coverage: { readonly held: number; readonly n: number; readonly testRows: number }
}

/** Sums up the results: a case passes when its K-score reaches 0.85. */
export function summarize(results: readonly CaseResult[]): CalibrationSummary {
  const recipes = results.flatMap(({ recipe }) => (recipe === null ? [] : [recipe]))
  const passes = ({ recipe }: CaseResult): boolean => recipe !== null && recipe.composite >= CALIBRATION_GATE
  const pass = results.filter(passes).length
  const classOf = (name: CaseClass) => {
    const of = results.filter((result) => result.class === name)
    return { n: of.length, pass: of.filter(passes).length }
  }
  const axis = (name: 'A' | 'S' | 'L' | 'V') => mean(recipes.flatMap(({ axes }) => axes[name] ?? []))
  return {
    n: results.length,
    pass,
    fail: results.length - pass,
    passRate: round(pass / Math.max(1, results.length)),
    byClass: {
      classification: classOf('classification'),
      extraction: classOf('extraction'),
      generation: classOf('generation'),
      code: classOf('code'),
    },
    axisMeans: { A: axis('A'), S: axis('S'), L: axis('L'), V: axis('V') },
    compositeMean: mean(results.map(({ recipe }) => recipe?.composite ?? 0)),
    coverage: {
      held: recipes.filter(({ held }) => held).length,
      n: recipes.length,
      testRows: recipes.reduce((sum, recipe) => sum + recipe.test_rows, 0),
    },
  }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : round(values.reduce((sum, value) => sum + value, 0) / values.length)
}

function round(value: number): number {
  return Number(value.toFixed(4))
}
