import { DomainError } from '../../../errors.ts'
import { canonicalJson, type Json } from '../../../json.ts'
import type { Runner } from '../../recipe.ts'
import type { EvalsDocument } from '../documents.ts'
import { demand } from './checks.ts'

/**
 * The recipe still gives the recorded answer on every evaluation row that is shown. With leave-one-out the recorded
 * answers are those of the folds, so there is nothing to compare.
 */
export function checkRerun(runner: Runner, evals: EvalsDocument): string {
  if (evals.split !== 'holdout') return 'leave-one-out: answers are those of the folds'
  const other = evals.rows.filter((row) => canonicalJson(answer(runner, row.input)) !== canonicalJson(recorded(row)))
  const named = other.slice(0, 5).map(({ id }) => id)
  demand(other.length === 0, `${other.length} rows give another answer than recorded: ${named.join(', ')}`)
  return `${evals.rows.length} rows give the recorded answer`
}

function answer(runner: Runner, input: Json): Json {
  try {
    const { output, abstained } = runner.run(input)
    return { output, abstained }
  } catch (error) {
    // A recipe without an answer is recorded as an output of null.
    if (error instanceof DomainError) return { output: null, abstained: false }
    throw error
  }
}

function recorded({ output, abstained }: EvalsDocument['rows'][number]): Json {
  return { output, abstained }
}
