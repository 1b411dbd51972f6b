import { inferShape } from '../../../runtime/composite/shape.ts'
import { taskEquality } from '../../../rows/equality/task-equality.ts'
import { isSameOutput } from '../../../rows/equality/same-output.ts'
import type { Split } from '../../../rows/split/split-report.ts'
import type { SampleInput } from '../../stage-types.ts'
import type { PartOutput } from '../sample-part.ts'

/** Rows from which leaves are fitted on their own: fewer tell too little of labels, and programs have their own search. */
export const COMPOSITE_ROWS = 10
/** Share of rows of the folds that a program gets right when it does the whole task. */
const PROVEN_SHARE = 0.95

/**
 * Returns true when a composite is worth fitting: outputs have parts, and no program does the whole task. `parts` are those
 * of the other kinds.
 */
export function needsComposite(input: SampleInput, split: Split, parts: readonly PartOutput[]): boolean {
  const { rows, recipeKind } = input
  if (rows.length < COMPOSITE_ROWS || inferShape(rows.map(({ output }) => output)).node === 'leaf') return false
  return recipeKind === 'composite' || !isProgramEnough(input, split, parts)
}

function isProgramEnough({ rows, tolerances }: SampleInput, split: Split, parts: readonly PartOutput[]): boolean {
  const own = parts.filter(({ part }) => part.kind === 'program')
  const whole = own.find(({ part }) => part.fold === null)?.whole
  const winner = whole?.records.find(({ verdict }) => verdict.chosen === 'winner')
  if (winner === undefined) return false
  const { fitted_rows: fitted, fitted_right: right, held_back_rows: held, held_back_right: heldRight } = winner.verdict
  if (right === null || right !== fitted || heldRight !== held) return false
  if (split.folds === undefined || split.folds === null) return true
  const equality = taskEquality(rows, split, tolerances)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const answers = own.flatMap(({ fold }) => fold?.answers ?? [])
  const rightOnes = answers.filter(({ id, output, abstained, error }) => {
    const row = byId.get(id)
    return row !== undefined && error === null && !abstained && isSameOutput(equality, output, row.output)
  })
  return rightOnes.length >= answers.length * PROVEN_SHARE
}
