import { equals, literal } from '../search/build.ts'
import type { NumberNode } from '../search/node.ts'
import type { Edge, Witness } from './edges.ts'
import { constantCost } from './constants.ts'
import { Cost } from '../ranking/cost.ts'

const MAX_COUNTS = 6
const LETTERS = /\p{L}*/uy
const NOTHING = new Set<string>()

/** The letters at a place of a text. */
function lettersAt(text: string, at: number): string {
  LETTERS.lastIndex = at
  return LETTERS.exec(text)?.[0] ?? ''
}

/** The text that all have; undefined where they differ. */
function sharedBy(texts: readonly string[]): string | undefined {
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined
}

/** True for two forms of a word, which begin alike, or for an ending that one of them lacks. */
function areForms(one: string, several: string): boolean {
  return one !== several && (one === '' || several === '' || one.charAt(0) === several.charAt(0))
}

/** Whole numbers that a thing can be counted by: one on some rows, and two others at least. */
function areCounts({ values, about }: NumberNode, shown: number): boolean {
  if (about !== undefined) return false
  const present = values.slice(0, shown)
  const others = new Set(present.filter((value) => value !== 1))
  return (
    present.includes(1) && others.size > 1 && present.every((value) => value === undefined || Number.isInteger(value))
  )
}

/** True where the texts write the number of several things, as digits. */
function isWritten(values: NumberNode['values'], outputs: readonly string[]): boolean {
  const digits = outputs.map((output) => output.replaceAll(/(?<=\d)[,. ](?=\d{3})/g, ''))
  return digits.every((output, row) => values[row] === 1 || output.includes(String(values[row])))
}

/**
 * Explains words and endings that differ between one thing and several: `item` and `items`, `person` and `people`, or an
 * ending alone. The word for one can stand on one row: what it is for is known.
 */
export function countedForms(outputs: readonly string[], numbers: readonly NumberNode[]): Witness {
  const found = numbers.filter((node) => areCounts(node, outputs.length))
  const written = new Set(found.filter(({ values }) => isWritten(values, outputs)))
  const counts = [...written, ...found.filter((node) => !written.has(node))].slice(0, MAX_COUNTS)
  return (rows, starts) => {
    const edges: Omit<Edge, 'missing'>[] = []
    const words = rows.map((row, i) => lettersAt(outputs[row] ?? '', starts[i] ?? 0))
    for (const node of counts) {
      const { expr, cost, values } = node
      const isOne = rows.map((row) => values[row] === 1)
      const one = sharedBy(words.filter((_, i) => isOne[i]))
      const several = sharedBy(words.filter((_, i) => !isOne[i]))
      if (one === undefined || several === undefined || !areForms(one, several)) continue
      if (rows.some((row) => values[row] === undefined)) continue
      const texts = values.map((value) => (value === undefined ? undefined : value === 1 ? one : several))
      const spelled = constantCost(one + several, { support: rows.length, copyable: NOTHING })
      // A count that stands in the text is paid for there.
      const own = written.has(node) ? Cost.NONE : cost.with('countedForm.unwritten')
      edges.push({
        expr: { op: 'if', cond: equals(expr, 1), then: literal(one), else: literal(several) },
        cost: own.with('countedForm').plus(spelled),
        isConstant: false,
        values: () => texts,
        ends: words.map((word, i) => (starts[i] ?? 0) + word.length),
      })
    }
    return edges
  }
}
