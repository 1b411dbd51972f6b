import { invalidField } from '../../../kernel/errors.ts'
import type { ColumnType } from '../table/columns/cell-types.ts'
import type { TableMapping } from '../table/mapping.ts'
import { someOf } from '../table/table-error.ts'
import type { InputShape } from './input-shape.ts'

/** A column of a table whose rows are run. */
export interface GivenColumn {
  readonly name: string
  /** Type of its cells in this file. */
  readonly type: ColumnType
}

/** A column that is an input, or one member of it. */
export interface InputColumn {
  readonly at: number
  readonly member: string
  readonly type: ColumnType
}

/** Columns whose cells make the input of a row. */
export interface InputColumns {
  readonly columns: readonly InputColumn[]
  /** True when the one column is the value itself, in place of a member. */
  readonly isValue: boolean
}

/** Names by which the input of a table's or an object's row is known. */
export const INPUT_NAMES: readonly string[] = ['input', 'prompt']
const OTHER_NAMES: readonly string[] = ['id', 'kind', 'output', 'expected', 'answer', 'label', 'target']

/**
 * Chooses the input columns: the named ones, else those that have the names of the recipe's members, else the column that
 * the examples were read from, else the one column that may be the input. The recipe decides the types of cells, as far as it is known. Throws `validation_failed`, which
 * names the columns of the file, when a member has no column or several columns may be the input.
 */
export function chooseInputColumns(
  given: readonly GivenColumn[],
  mapping: TableMapping,
  shape: InputShape,
): InputColumns {
  const names = given.map(({ name }) => name)
  const typeOf = (at: number, known: ColumnType | null | undefined): ColumnType =>
    mapping.types === 'text' ? 'text' : (known ?? given[at]?.type ?? 'text')
  if (shape.members !== null) {
    const { members, required } = shape
    const wanted =
      mapping.input ?? [...members.keys()].filter((name) => required.has(name) || findName(names, name) >= 0)
    const columns = wanted.map((name): InputColumn => {
      const at = findName(names, name)
      if (at < 0) throw noColumn(name, names)
      const member = [...members.keys()].find((one) => one.toLowerCase() === name.trim().toLowerCase()) ?? name
      return { at, member, type: typeOf(at, members.get(member)) }
    })
    return { columns, isValue: false }
  }
  if (mapping.input !== undefined && mapping.input.length > 1) {
    const columns = mapping.input.map((name): InputColumn => {
      const at = findName(names, name)
      if (at < 0) throw noColumn(name, names)
      return { at, member: names[at] ?? name, type: typeOf(at, null) }
    })
    return { columns, isValue: false }
  }
  const known = shape.column === null ? -1 : findName(names, shape.column)
  const at =
    mapping.input !== undefined ? findName(names, mapping.input[0] ?? '') : known >= 0 ? known : onlyColumn(names)
  if (at < 0) throw noColumn(mapping.input?.[0] ?? '', names)
  return { columns: [{ at, member: names[at] ?? '', type: typeOf(at, shape.value) }], isValue: true }
}

function onlyColumn(names: readonly string[]): number {
  const byName = names.findIndex((name) => INPUT_NAMES.includes(name.toLowerCase()))
  if (byName >= 0) return byName
  const free = names.flatMap((name, at) => (OTHER_NAMES.includes(name.toLowerCase()) ? [] : [at]))
  if (names.length === 1) return 0
  const [only, ...others] = free
  if (only !== undefined && others.length === 0) return only
  throw invalidField(
    'mapping.input',
    `is required: the recipe takes one value, and the file has the columns ${someOf(names, names.length, 20)}; name the input column`,
  )
}

function findName(names: readonly string[], name: string): number {
  const exact = names.indexOf(name)
  return exact >= 0 ? exact : names.findIndex((one) => one.toLowerCase() === name.trim().toLowerCase())
}

function noColumn(name: string, names: readonly string[]) {
  return invalidField(
    'mapping.input',
    `the recipe takes ${JSON.stringify(name)}, and the file has the columns ${someOf(names, names.length, 20)}; rename a column, or name the input columns`,
  )
}
