import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import type { ObjectiveSettings } from '../objectives/objective.ts'
import { unitOf, type FitRow, type Sequence, type TeacherTokens, type Unit } from '../rows.ts'

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

type RowKind = 'answers' | 'pairs' | 'labels' | 'distributions'

function kindOf(objective: ObjectiveSettings['kind']): RowKind {
  switch (objective) {
    case 'supervised':
    case 'distillation':
    case 'gkd':
      return 'answers'
    case 'dpo':
    case 'simpo':
    case 'orpo':
      return 'pairs'
    case 'kto':
      return 'labels'
    case 'kd':
      return 'distributions'
  }
}

function checkRow(row: FitRow, wanted: RowKind, maxLength: number): void {
  const kind = kindOfRow(row)
  const problem = kind === wanted ? sequenceProblem(row, maxLength) : `holds ${kind}, and the objective takes ${wanted}`
  if (problem === undefined) return
  throw KERNEL_ERRORS.validation_failed(`row ${row.id} ${problem}`, { details: { rowId: row.id } })
}

function kindOfRow(row: FitRow): RowKind {
  if ('rejected' in row) return 'pairs'
  if ('isDesirable' in row) return 'labels'
  return 'teacher' in row ? 'distributions' : 'answers'
}

function sequenceProblem(row: FitRow, maxLength: number): string | undefined {
  if (!(row.weight >= 0) || !Number.isFinite(row.weight)) return 'has a weight that is not a number from 0 up'
  for (const { prompt, answer, teacher } of unitOf(row).sequences) {
    if (prompt.length === 0) return 'has an empty prompt'
    if (answer.length === 0) return 'has an empty answer'
    const tokens = prompt.length + answer.length
    if (tokens > maxLength) return `has ${tokens} tokens, and ${maxLength} are the most`
    const problem = teacher && teacherProblem(teacher, answer.length)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The most by which rounding lifts the sum of probabilities above 1. */
const ROUNDING = 1e-3

function teacherProblem({ k, ids, logProbs }: TeacherTokens, answerTokens: number): string | undefined {
  if (logProbs.length !== answerTokens * k) return `has distributions for other than its ${answerTokens} answer tokens`
  if (!Array.from(logProbs).every(Number.isFinite)) return 'has a log-probability that is not a finite number'
  if (ids === null) return undefined
  if (ids.length !== logProbs.length) return 'has token ids and log-probabilities of different number'
  for (let start = 0; start < ids.length; start += k) {
    const own = Array.from({ length: k }, (_, i) => ids[start + i])
    if (new Set(own).size < k) return 'has a distribution that names a token twice'
    let sum = 0
    for (let i = start; i < start + k; i++) sum += Math.exp(logProbs[i] ?? 0)
    if (sum > 1 + ROUNDING) return 'has a distribution whose probabilities sum to more than 1'
  }
  return undefined
}

/** The prompt of one row with the answer of another one, whose end is cut where it would be too long. */
function mismatch(unit: Unit, other: Unit, maxLength: number): Sequence[] {
  const prompt = unit.sequences[0]?.prompt ?? []
  const answer = Array.from(other.sequences[0]?.answer ?? []).slice(0, maxLength - prompt.length)
  return [{ prompt, answer }]
}
