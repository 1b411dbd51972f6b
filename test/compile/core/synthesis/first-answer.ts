import type { Json } from '../../../../core/kernel/json/json.ts'
import { compileProgram } from '../../../../core/compile/language/evaluate/evaluate.ts'
import { synthesize } from '../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../rows/given-rows.ts'

/** Returns the answer of the first program for the rows to another input; null without one. */
export function answer(rows: readonly (readonly [Json, Json])[], input: Json, workBudget = 2_000_000): Json {
  const [best] = synthesize(rowsOf(rows), { k: 3, workBudget }).candidates
  return best === undefined ? null : (compileProgram(best.program).attempt(input) ?? null)
}
