import type { Json } from '../../kernel/json/json.ts'
import { inferEquality } from '../rows/equality/infer-equality.ts'
import { openEquality } from '../rows/equality/same-output.ts'
import { languageOf } from '../language/versions.ts'
import type { Row } from '../rows/task.ts'
import type { ProgramCandidate, SynthesisOptions, SynthesisResult } from './result.ts'
import { Budget, SearchEnded } from './search/budget.ts'
import { Collector, type Collected } from './solve/collector.ts'
import { pickUnlabelled } from './search/pick-unlabelled.ts'
import { searchRows } from './solve/search-rows.ts'

export type { SynthesisOptions, SynthesisResult } from './result.ts'

/** The default of `SynthesisOptions.workBudget`: 3 to 4 seconds of one slow core at worst. */
export const DEFAULT_WORK_BUDGET = 3_000_000

/** Programs with the features of their costs, best first; and how the search ended. */
interface RankedPrograms extends Omit<SynthesisResult, 'candidates'> {
  readonly ranked: readonly Collected[]
}

/**
 * Finds programs that turn each row's input into its output, best first.
 * The same rows, unlabelled inputs and work budget give the same programs. Never throws for rows it cannot explain: it
 * returns no candidate, or candidates that get only a part of the rows right.
 */
export function synthesize(rows: readonly Row[], options: SynthesisOptions): SynthesisResult {
  const { ranked, ...end } = rankPrograms(rows, options)
  const candidates = ranked.map(({ expr, cost, matches }): ProgramCandidate => ({
    program: { language: languageOf(expr), body: expr },
    cost: cost.value,
    trainMatches: matches,
  }))
  return { candidates, ...end }
}

/** Like `synthesize`, with each program's cost as features: weights are fitted from these. */
export function rankPrograms(rows: readonly Row[], options: SynthesisOptions): RankedPrograms {
  const budget = new Budget(options.workBudget, {
    ...(options.deadlineAt === undefined ? {} : { deadlineAt: options.deadlineAt }),
    ...(options.isCancelled === undefined ? {} : { isCancelled: options.isCancelled }),
  })
  const inputs: Json[] = rows.map((row) => row.input)
  const outputs: Json[] = rows.map((row) => row.output)
  const collector = new Collector(
    inputs,
    outputs,
    openEquality(options.equality ?? inferEquality(outputs)),
    pickUnlabelled(inputs, options.unlabelled ?? []),
  )
  let exhausted = false
  try {
    if (rows.length > 0) searchRows(inputs, outputs, collector, Math.max(options.k, 4), budget)
  } catch (error) {
    if (!(error instanceof SearchEnded)) throw error
    exhausted = true
  }
  const ranked = collector.best(options.k)
  return { ranked, workUsed: budget.used, dropped: collector.dropped, exhausted }
}
