import type { Expr } from '../../language/ast.ts'
import { weekdayOf, type CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { costOf } from '../ranking/cost.ts'
import { lookup } from '../search/build.ts'
import type { Edge, Witness } from '../text/edges.ts'
import { datePart, type DateNode } from './date-node.ts'
import NAMES from './written-names.json' with { type: 'json' }

/** Different names that outputs must have: fewer are a word of the text rather than the names of a language. */
const MIN_NAMES = 3
const MONTHS = 12
const NAME = costOf('writeDate.name')

/** The names of months or weekdays in one language, in their order. */
interface NameList {
  readonly names: readonly string[]
  readonly part: 'month' | 'weekday'
}

/** The names of all languages but English, whose names patterns write, as in a text and as at its start. */
const LISTS: readonly NameList[] = [
  ...new Set(
    Object.entries(NAMES).flatMap(([locale, lists]) =>
      locale === 'en' ? [] : lists.flatMap((list) => [list, atStart(list)]),
    ),
  ),
].map((list) => {
  const names = list.split('|')
  return { names, part: names.length === MONTHS ? 'month' : 'weekday' }
})

/** Names with a capital first. */
function atStart(list: string): string {
  return list.replaceAll(/(?<=^|\|)\p{Ll}/gu, (letter) => letter.toUpperCase())
}

function nameIn({ names, part }: NameList, date: CivilDate): string {
  return names[(part === 'month' ? date.month : weekdayOf(date)) - 1] ?? ''
}

/** A list whose names the outputs have for the dates of their rows. */
interface Named {
  readonly expr: Expr
  readonly values: readonly (string | undefined)[]
  readonly node: DateNode
}

function namedBy(node: DateNode, list: NameList, outputs: readonly string[]): Named | undefined {
  const seen = new Set<string>()
  for (const [row, output] of outputs.entries()) {
    const date = node.values[row]
    if (date === undefined) continue
    const name = nameIn(list, date)
    if (!output.includes(name)) return undefined
    seen.add(name)
  }
  if (seen.size < MIN_NAMES) return undefined
  const cases = list.names.map((value, at) => ({ key: at + 1, value }))
  return {
    expr: lookup(datePart(node.expr, list.part), cases),
    values: node.values.map((date) => (date === undefined ? undefined : nameIn(list, date))),
    node,
  }
}

/**
 * Explains the names of months and weekdays in outputs of any of 30 languages, such as `31. Dezember 2024`, by the whole list of
 * their language: some rows show it, and the months that no row has follow.
 */
export function nameWitness(outputs: readonly string[], dates: readonly DateNode[]): Witness {
  let found: readonly Named[] | undefined
  return (rows, starts, budget) => {
    found ??= dates
      .filter(({ has }) => has !== 'time')
      .flatMap((node) => {
        budget.spend(LISTS.length)
        return LISTS.flatMap((list) => namedBy(node, list, outputs) ?? [])
      })
    return found.flatMap(({ expr, values, node }): Omit<Edge, 'missing'>[] => {
      const ends: number[] = []
      for (const [i, row] of rows.entries()) {
        const name = values[row]
        const at = starts[i] ?? 0
        if (name === undefined || outputs[row]?.startsWith(name, at) !== true) return []
        ends.push(at + name.length)
      }
      const cost = node.cost.plus(NAME)
      return [{ expr, cost, isConstant: false, values: () => values, ends }]
    })
  }
}
