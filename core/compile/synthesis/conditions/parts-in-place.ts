import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { equals, literalPattern, splitItem } from '../search/build.ts'
import { searchOf } from '../../language/expressions/conditions.ts'
import { branchExpr, casesOf } from '../../language/expressions/branches.ts'
import { valuesOf } from '../search/candidate-program.ts'

/** Words as short as these occur in others: `S` in `Shirt`. */
const SHORT = 2
const MIN_SEARCHES = 2
const MARK = /[^\p{L}\p{N}]/gu

/** A part of texts that one mark cuts into as many parts on every row. */
interface Place {
  readonly mark: string
  readonly index: number
}

/**
 * Returns a program that looks for short words anywhere in a text with conditions on the part of the text in which every
 * row has its word. Undefined where the rows show no such part.
 */
export function partsInPlace(expr: Expr, inputs: readonly Json[]): Expr | undefined {
  const branches = casesOf(expr)
  if (branches === undefined || branches.cases.length < MIN_SEARCHES) return undefined
  const searches = branches.cases.flatMap(({ when }) => searchOf(when) ?? [])
  const [first] = searches
  const of = JSON.stringify(first?.text)
  if (first === undefined || searches.length < branches.cases.length) return undefined
  if (searches.some(({ op, text }) => op !== 'contains' || JSON.stringify(text) !== of)) return undefined
  const words = searches.map(({ sought }) => sought)
  if (!words.some((word) => word.length <= SHORT)) return undefined
  const texts = valuesOf(first.text, inputs)?.filter((text) => typeof text === 'string')
  if (texts?.length !== inputs.length) return undefined
  const wanted = texts.map((text) => words.find((word) => text.includes(word)))
  const place = placeOf(texts, wanted, words)
  if (place === undefined) return undefined
  const part = splitItem(first.text, literalPattern(place.mark), place.index)
  const cases = branches.cases.map(({ then }, at) => ({ when: equals(part, words[at] ?? ''), then }))
  return branchExpr(cases, branches.last)
}

/** The part that is the word of each row that has one, and none of the words elsewhere. */
function placeOf(
  texts: readonly string[],
  wanted: readonly (string | undefined)[],
  words: readonly string[],
): Place | undefined {
  for (const mark of new Set(texts[0]?.match(MARK))) {
    const parts = texts.map((text) => text.split(mark))
    const count = parts[0]?.length ?? 0
    if (parts.some(({ length }) => length !== count)) continue
    for (let index = 0; index < count; index++) {
      const isPlace = parts.every((row, at) => {
        const part = row[index] ?? ''
        return wanted[at] === undefined ? !words.includes(part) : part === wanted[at]
      })
      if (isPlace) return { mark, index }
    }
  }
  return undefined
}
