import { parseComposite } from '../../../runtime/composite/composite-recipe.ts'
import type { Equality } from '../../../rows/equality/equality.ts'
import type { Split } from '../../../rows/split/split-report.ts'
import type { Row } from '../../../rows/task.ts'
import type { JudgingChecks } from '../../verifier/synthesize-verifier.ts'
import type { ChosenRecipe, KindResult, VerifyInput, VerifyOutput } from '../verify-types.ts'
import { adviseRows } from './advise-rows.ts'
import { reportRows } from './report-rows.ts'

/** A verdict whose rows are to be explained. */
export interface JudgedRows {
  readonly input: VerifyInput
  readonly split: Split
  readonly evaluated: readonly Row[]
  readonly equality: Equality
  /** The checks that judge the scored row at a position. */
  readonly checksFor: (place: number) => JudgingChecks
  readonly kinds: readonly KindResult[]
  readonly best: KindResult | null
  readonly chosen: ChosenRecipe | null
  readonly passed: boolean
}

/** Returns the rows with their results and, where the gate did not pass, rows to look at. */
export function explainRows(judged: JudgedRows): Pick<VerifyOutput, 'rowReport' | 'rowAdvice'> {
  const { input, split, checksFor, kinds, best, chosen, passed } = judged
  const advice = passed
    ? null
    : adviseRows({
        ...judged,
        rows: input.rows,
        kinds: kinds.filter(({ scoring }) => scoring === split.mode),
        posterior: input.sample.posterior,
        unlabelled: input.unlabelled ?? [],
      })
  return {
    rowAdvice: advice === null ? null : { to_label: advice.to_label, odd: advice.odd },
    rowReport: reportRows({
      toLabel: advice?.inputs ?? [],
      rows: input.rows,
      split,
      best: best === null ? null : { kind: best.kind, results: best.evaluation.results },
      checksFor: (place) => checksFor(place).checks,
      leaves: chosen?.data.kind === 'composite' ? parseComposite(chosen.data.recipe).leaves : undefined,
      form: input.rowsForm,
    }),
  }
}
