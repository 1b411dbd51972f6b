import { invalidField } from '../../../../kernel/errors.ts'
import type { TableMapping } from '../mapping.ts'
import type { TableSource } from '../records.ts'
import { someOf } from '../table-error.ts'

/** Names that say which column is the answer. Two of these in one table leave it open. */
const ANSWER_NAMES = ['output', 'expected', 'answer', 'completion']
/** Names that say so where none of the others is there, likeliest first. */
const LIKELY_NAMES = ['target', 'label', 'result', 'class', 'category', 'response', 'solution', 'translation']
/** From this many filled cells of another column on, a column with one filled cell is a note beside the table. */
const FEW_ROWS = 4
const INPUT_NAMES = ['input', 'prompt']
const ROW_KINDS: ReadonlySet<string> = new Set(['positive', 'test', 'negative', 'unlabelled'])

/** Part that a column has in the examples. */
export type ColumnRole = 'input' | 'output' | 'id' | 'kind' | 'ignored'

/** A column as the roles are chosen by. */
export interface NamedColumn {
  readonly name: string
  /** Number of cells that hold something. */
  readonly filled: number
  /** True when no value comes twice. */
  readonly isDistinct: boolean
  /** The different values, where they are few. */
  readonly values: readonly string[] | null
  /** True where the header has no name for the column. */
  readonly isUnnamed: boolean
}

/** Roles of the columns, in their order, and the reasons. */
export interface ChosenRoles {
  readonly roles: readonly ColumnRole[]
  readonly outputReason: string
  readonly inputReason: string
}

/** A fault of the columns. The preview shows it beside its guess; a compile is refused with it. */
export type RoleProblem = (field: string, message: string) => void

/** Returns true for a name by which a column's role is known. */
export function isKnownName(name: string): boolean {
  const folded = name.trim().toLowerCase()
  return [...ANSWER_NAMES, ...LIKELY_NAMES, ...INPUT_NAMES, 'id'].includes(folded)
}

/**
 * Chooses inputs and answer: as named, else by well-known names, else the last column is the answer and all before it
 * are the input. `id` and `kind` name and mark rows as in JSON, where their values can. Throws `validation_failed` for a
 * name that no column has; reports what else is wrong to `onProblem`.
 */
export function chooseRoles(
  columns: readonly NamedColumn[],
  mapping: TableMapping,
  { kind, onProblem }: { readonly kind: TableSource['kind']; readonly onProblem: RoleProblem },
): ChosenRoles {
  const names = columns.map(({ name }) => name)
  const find = (name: string, option: string): number => {
    const exact = names.indexOf(name)
    const at = exact >= 0 ? exact : names.findIndex((one) => one.toLowerCase() === name.trim().toLowerCase())
    if (at >= 0) return at
    throw invalidField(
      option,
      `names the column ${JSON.stringify(name)}, the file has ${someOf(names, names.length, 20)}`,
    )
  }
  const named = mapping.input?.map((name) => find(name, 'mapping.input'))
  const output =
    mapping.output === undefined
      ? guessOutput(columns, new Set(named), { kind, onProblem })
      : { at: find(mapping.output, 'mapping.output'), reason: 'named in the request' }
  if (named?.includes(output.at) === true) {
    onProblem('mapping.input', `names the column ${JSON.stringify(names[output.at])}, which is the answer; remove it`)
  }
  const special = (at: number): ColumnRole | null => {
    const column = columns[at]
    if (column === undefined || named?.includes(at) === true) return null
    if (isId(column) && columns.some((other, i) => i !== at && i !== output.at && mayBeInput(other))) return 'id'
    return isMark(column) ? 'kind' : null
  }
  const only = columns.findIndex(({ name }, at) => at !== output.at && INPUT_NAMES.includes(name.toLowerCase()))
  const isStray = (at: number) => hasNoRows(columns[at], columns, kind)
  const roles = columns.map((_, at): ColumnRole => {
    if (at === output.at) return 'output'
    const role = special(at)
    if (role !== null) return role
    if (named !== undefined) return named.includes(at) ? 'input' : 'ignored'
    return (only < 0 || at === only) && !isStray(at) ? 'input' : 'ignored'
  })
  if (!roles.includes('input')) {
    const remedy = kind === 'sheet' ? 'add one, or name another sheet' : 'check the delimiter'
    onProblem('file', `has no input column: it needs at least two columns, one of them the answer; ${remedy}`)
  }
  const inputReason =
    named === undefined
      ? only < 0
        ? 'all other columns that are not empty'
        : `its name is ${names[only] ?? ''}; other columns are ignored unless they are named`
      : 'named in the request'
  return { roles, outputReason: output.reason, inputReason }
}

/** True for a column that names rows, in any letter case. */
function isId({ name, filled, isDistinct }: NamedColumn): boolean {
  return name.toLowerCase() === 'id' && isDistinct && filled > 0
}

function isMark({ name, filled, values }: NamedColumn): boolean {
  return name === 'kind' && filled > 0 && values?.every((value) => ROW_KINDS.has(value)) === true
}

/** True for an empty column, and for one with a single cell beside those of a table; a member of one object counts. */
function hasNoRows(
  column: NamedColumn | undefined,
  columns: readonly NamedColumn[],
  kind: TableSource['kind'],
): boolean {
  if (column === undefined || column.filled === 0) return true
  return kind !== 'objects' && column.filled === 1 && columns.some(({ filled }) => filled >= FEW_ROWS)
}

function mayBeInput(column: NamedColumn): boolean {
  return column.filled > 0 && !isId(column) && !isMark(column)
}

function guessOutput(
  columns: readonly NamedColumn[],
  taken: ReadonlySet<number>,
  { kind, onProblem }: { readonly kind: TableSource['kind']; readonly onProblem: RoleProblem },
): { readonly at: number; readonly reason: string } {
  const folded = columns.map(({ name }) => name.toLowerCase())
  const free = folded.flatMap((_, at) => (taken.has(at) ? [] : [at]))
  const sure = free.filter((at) => ANSWER_NAMES.includes(folded[at] ?? ''))
  const likely = LIKELY_NAMES.flatMap((name) => free.filter((at) => folded[at] === name))
  const [first] = sure
  if (first !== undefined && sure.length > 1) {
    const both = someOf(sure.map((at) => `${columns[at]?.name ?? ''} (column ${at + 1})`))
    onProblem('header', `has several columns that may be the answer: ${both}; name one of them (\`output\`)`)
  }
  const byName = first ?? likely[0]
  if (byName !== undefined) return { at: byName, reason: `its name is ${columns[byName]?.name ?? ''}` }
  const sound = free.filter((at) => !hasNoRows(columns[at], columns, kind))
  // A first column alone is the input of answers that are still to be filled in.
  const last = sound.length > 1 ? sound.at(-1) : free.findLast((at) => (columns[at]?.filled ?? 0) > 0)
  if (last === undefined) return { at: columns.length - 1, reason: 'the last column' }
  const sparse = columns.find(({ filled, isUnnamed }, at) => at > last && !taken.has(at) && filled > 0 && !isUnnamed)
  if (sparse !== undefined) {
    const names = `${JSON.stringify(columns[last]?.name)}, or ${JSON.stringify(sparse.name)} with one answer`
    onProblem('mapping.output', `may be ${names}; name the column that is the answer`)
  }
  return { at: last, reason: 'the last column; name another if it is not the answer' }
}
