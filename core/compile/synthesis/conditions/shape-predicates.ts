import { searchExpr } from '../../language/expressions/conditions.ts'
import { escapeRegex } from '../search/build.ts'
import { isRegexOfLanguage } from '../search/candidate-program.ts'
import type { TextNode } from '../search/node.ts'
import type { PredicateSet } from './predicate.ts'

const MAX_LENGTH = 40
const MAX_RUNS = 9
/** Rows of one shape from which it is one that people ask for. */
const MIN_ROWS = 3
const RUN = /[A-Z]+|[a-z]+|[0-9]+|[^A-Za-z0-9]/gu

/** The runs of a text by class, each with its length: `AB-12` is two capitals, a hyphen, two digits. */
function shapeOf(text: string): readonly string[] {
  return (text.match(RUN) ?? []).map((run) => {
    const known = /^[A-Z]/.test(run) ? '[A-Z]' : /^[a-z]/.test(run) ? '[a-z]' : /^[0-9]/.test(run) ? '[0-9]' : undefined
    if (known === undefined) return escapeRegex(run)
    return run.length === 1 ? known : `${known}{${run.length}}`
  })
}

/** Adds the conditions that a text is of a shape which several rows have: a code is valid, a reference is of one kind. */
export function addShapePredicates(set: PredicateSet, node: TextNode): void {
  const counts = new Map<string, { rows: number; readonly runs: number }>()
  for (const value of node.values) {
    if (value === undefined || value.length > MAX_LENGTH) continue
    const shape = shapeOf(value)
    if (shape.length < 2 || shape.length > MAX_RUNS) continue
    const regex = shape.join('')
    const known = counts.get(regex)
    if (known === undefined) counts.set(regex, { rows: 1, runs: shape.length })
    else known.rows++
  }
  for (const [regex, { rows, runs }] of counts) {
    if (rows < MIN_ROWS || !isRegexOfLanguage(regex)) continue
    const cost = node.cost.with('condition.shape').with('shape.token', runs)
    set.addOn(node, cost, 'structure', (text) => ({ op: 'matches', text, pattern: { kind: 'regex', regex } }))
  }
}

const ONE_WORD = /^\p{L}{3,}$/u
const ENDINGS = [
  { letters: 1, feature: 'condition.word.one' },
  { letters: 2, feature: 'condition.word.two' },
] as const

/** Adds the conditions that words end in certain letters: plurals and other forms go by these. */
export function addEndings(set: PredicateSet, node: TextNode): void {
  if (!node.values.every((value) => value !== undefined && ONE_WORD.test(value))) return
  for (const { letters, feature } of ENDINGS) {
    const cost = node.cost.with('condition.edge').with(feature)
    for (const sought of new Set(node.values.map((value) => value?.slice(-letters) ?? '')))
      set.addOn(node, cost, 'content', (text) => searchExpr({ op: 'endsWith', text, sought }))
  }
}
