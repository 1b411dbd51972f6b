import { isJsonObject, type Json, type JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Markup } from '../../../../core/kernel/wire/markup.ts'
import { pairsText, valueText } from './values.ts'

/** A column of the table of rows. */
export interface InputColumn {
  readonly title: string
  readonly cell: (input: Json) => Markup
}

/** Columns that the members of an input get at most; further members share the last one. */
const MOST_COLUMNS = 3

/** Returns the columns of inputs: one, or those of their members where every input is an object. */
export function inputColumns(inputs: readonly Json[]): readonly InputColumn[] {
  const objects = inputs.filter(isJsonObject)
  const names = objects.length === inputs.length ? [...new Set(objects.flatMap((input) => Object.keys(input)))] : []
  if (names.length === 0) return [{ title: 'Input', cell: valueText }]
  const own = names.length <= MOST_COLUMNS ? names : names.slice(0, MOST_COLUMNS - 1)
  const shared = names.slice(own.length)
  const columns = own.map((name) => ({
    title: `Input: ${name}`,
    cell: (input: Json) => pairsText([[null, membersOf(input)[name]]]),
  }))
  if (shared.length === 0) return columns
  const cell = (input: Json) => pairsText(shared.map((name) => [name, membersOf(input)[name]]))
  return [...columns, { title: `Input: ${shared.length} more`, cell }]
}

function membersOf(input: Json): JsonObject {
  return isJsonObject(input) ? input : {}
}
