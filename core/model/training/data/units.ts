import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import type { ObjectiveSettings } from '../objectives/objective.ts'
import { unitOf, type FitRow, type Sequence, type Unit } from '../rows.ts'

/**
 * The rows of a job as units of its objective. For `kto` each unit gets a second sequence, its prompt with the answer of
 * the row before it, from which the reference point is estimated. Throws `validation_failed` for a row of another
 * objective, without prompt or answer, or longer than `maxLength` tokens.
 */
export function unitsFor(
  rows: readonly FitRow[],
  objective: ObjectiveSettings['kind'],
  maxLength: number,
): readonly Unit[] {
  const wanted = kindOf(objective)
  for (const row of rows) checkRow(row, wanted, maxLength)
  const units = rows.map(unitOf)
  if (objective !== 'kto') return units
  return units.map((unit, index) => {
    const other = units.at(index - 1) ?? unit
    return { ...unit, sequences: [...unit.sequences, ...mismatch(unit, other, maxLength)] }
  })
}

type RowKind = 'answers' | 'pairs' | 'labels'

function kindOf(objective: ObjectiveSettings['kind']): RowKind {
  switch (objective) {
    case 'supervised':
    case 'distillation':
      return 'answers'
    case 'dpo':
    case 'simpo':
    case 'orpo':
      return 'pairs'
    case 'kto':
      return 'labels'
  }
}

function checkRow(row: FitRow, wanted: RowKind, maxLength: number): void {
  const kind = 'rejected' in row ? 'pairs' : 'isDesirable' in row ? 'labels' : 'answers'
  const problem = kind === wanted ? sequenceProblem(row, maxLength) : `holds ${kind}, and the objective takes ${wanted}`
  if (problem === undefined) return
  throw KERNEL_ERRORS.validation_failed(`row ${row.id} ${problem}`, { details: { rowId: row.id } })
}

function sequenceProblem(row: FitRow, maxLength: number): string | undefined {
  if (!(row.weight >= 0) || !Number.isFinite(row.weight)) return 'has a weight that is not a number from 0 up'
  for (const { prompt, answer } of unitOf(row).sequences) {
    if (prompt.length === 0) return 'has an empty prompt'
    if (answer.length === 0) return 'has an empty answer'
    const tokens = prompt.length + answer.length
    if (tokens > maxLength) return `has ${tokens} tokens, and ${maxLength} are the most`
  }
  return undefined
}

/** The prompt of one row with the answer of another one, whose end is cut where it would be too long. */
function mismatch(unit: Unit, other: Unit, maxLength: number): Sequence[] {
  const prompt = unit.sequences[0]?.prompt ?? []
  const answer = Array.from(other.sequences[0]?.answer ?? []).slice(0, maxLength - prompt.length)
  return [{ prompt, answer }]
}
