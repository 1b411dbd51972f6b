import type { Json } from '../../../kernel/json/json.ts'
import { CHECK_SUMS } from '../../language/names.ts'
import { combine, withConstant } from '../numbers/number-node.ts'
import { literal } from '../search/build.ts'
import { listBy, numberBy } from '../search/derived.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import { CHARACTERS, TO_NUMBERS } from './list-space.ts'
import { Cost, costOf } from '../ranking/cost.ts'

const NUMBER = /^\d{6,24}$/
const MAX_TEXTS = 3

const WITH_ZERO = listBy((list) => ({ op: 'append', lists: [list, literal([0])] }))
const SUMS = CHECK_SUMS.map((by) => numberBy((list) => ({ op: 'sum', list, by })))

/** The digit that makes a check sum end in zero: what is missing to the next ten. */
function checkDigit(sum: NumberNode): NumberNode {
  const zero: NumberNode = { expr: literal(0), cost: Cost.NONE, values: sum.values.map(() => 0) }
  return withConstant('mod', combine('sub', zero, sum, Cost.NONE), 10, costOf('checkDigit'))
}

/**
 * Numbers of cards, goods and books: the last digits of their check sums, zero when they are valid, where the targets tell
 * two kinds apart; and the check digit for those that lack it, where the targets end in it.
 */
export function checkNumbers(texts: readonly TextNode[], targets: readonly Json[]): NumberNode[] {
  const numbered = texts.filter(({ values }) => targets.every((_, row) => NUMBER.test(values[row] ?? '')))
  const areTwoKinds = new Set(targets).size === 2
  const isLast = ({ values }: NumberNode) =>
    targets.every((target, row) => {
      const text = typeof target === 'string' ? target : JSON.stringify(target)
      return text.endsWith(String(values[row]))
    })
  return numbered.slice(0, MAX_TEXTS).flatMap((text) => {
    const digits = TO_NUMBERS(CHARACTERS(text, text.cost), text.cost)
    if (areTwoKinds)
      return SUMS.map((sum) => withConstant('mod', sum(digits, text.cost.with('checkSum')), 10, Cost.NONE))
    const open = WITH_ZERO(digits, text.cost)
    return SUMS.map((sum) => checkDigit(sum(open, text.cost))).filter(isLast)
  })
}
