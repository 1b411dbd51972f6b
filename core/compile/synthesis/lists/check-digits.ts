import type { Json } from '../../../kernel/json/json.ts'
import { CHECK_SUMS, type CheckSum } from '../../language/names.ts'
import { combine, withConstant } from '../numbers/number-node.ts'
import { absPos, concat, literal, slice } from '../search/build.ts'
import { listBy, numberBy, textBy } from '../search/derived.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import { CHARACTERS, TO_NUMBERS } from './list-space.ts'
import { Cost, costOf } from '../ranking/cost.ts'

const NUMBER = /^\d{6,24}$/
const DIGITS = /^\d{2,24}$/
/** A code of a country, two check digits and the number itself (ISO 13616). */
const ACCOUNT = /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/
const MAX_TEXTS = 3
/** Rows from which on sums of digits are looked at. */
const MIN_SUMS = 8
/** Divisor of check digits of accounts and companies (ISO/IEC 7064, MOD 97-10). */
const OF_ACCOUNTS = 97

const WITH_ZERO = listBy((list) => ({ op: 'append', lists: [list, literal([0])] }))
const DIVISORS: Readonly<Record<CheckSum, number>> = { luhn: 10, ean: 10, isbn: 11, mod11: 11 }
const SUMS = CHECK_SUMS.map((by) => ({ divisor: DIVISORS[by], sum: summed({ by }) }))
/** Sums of digits may be even or odd, or multiples of other numbers. */
const DIGIT_SUM = summed({})
/** A country code and its check digits count as the last digits of a number. */
const ROTATED = textBy((text) => {
  const [start, fourth, end] = [absPos('start', 0), absPos('start', 4), absPos('end', 0)]
  return concat([slice(text, fourth, end), slice(text, start, fourth)])
})
const REMAINDER = numberBy((text) => ({ op: 'remainder', text, divisor: OF_ACCOUNTS }))

/** The digit that makes a check sum a multiple of its divisor. */
function checkDigit(sum: NumberNode, divisor: number): NumberNode {
  const zero: NumberNode = { expr: literal(0), cost: Cost.NONE, values: sum.values.map(() => 0) }
  return withConstant('mod', combine('sub', zero, sum, Cost.NONE), divisor, costOf('checkDigit'))
}

function summed(weights: { readonly by?: CheckSum }) {
  return numberBy((list) => ({ op: 'sum', list, ...weights }))
}

function digitsOf(text: TextNode) {
  return TO_NUMBERS(CHARACTERS(text, text.cost), text.cost)
}

function textsLike(form: RegExp, texts: readonly TextNode[], targets: readonly Json[]): TextNode[] {
  return texts.filter(({ values }) => targets.every((_, row) => form.test(values[row] ?? ''))).slice(0, MAX_TEXTS)
}

/** Remainders that tell valid numbers of accounts from others. */
function accountChecks(texts: readonly TextNode[], targets: readonly Json[]): NumberNode[] {
  return textsLike(ACCOUNT, texts, targets).map((text) =>
    REMAINDER(ROTATED(text, text.cost), text.cost.with('checkSum')),
  )
}

/** Sums of digits, where enough rows show that it is not by chance that some are multiples. */
function digitSums(texts: readonly TextNode[], targets: readonly Json[]): NumberNode[] {
  if (targets.length < MIN_SUMS) return []
  return textsLike(DIGITS, texts, targets).map((text) => ({
    ...DIGIT_SUM(digitsOf(text), text.cost.with('checkSum')),
    about: 'digitSum',
  }))
}

/**
 * Numbers of cards, goods, books and accounts: the remainders of their check sums, zero when they are valid, where the targets
 * tell two kinds apart; and the check digit for those that lack it, where the targets end in it. A check digit of ten is
 * written in another way.
 */
export function checkNumbers(texts: readonly TextNode[], targets: readonly Json[]): NumberNode[] {
  const areTwoKinds = new Set(targets).size === 2
  const isLast = ({ values }: NumberNode) =>
    targets.every((target, row) => {
      const text = typeof target === 'string' ? target : JSON.stringify(target)
      const digit = values[row]
      return digit === 10 || text.endsWith(String(digit))
    })
  const found = textsLike(NUMBER, texts, targets).flatMap((text) => {
    const digits = digitsOf(text)
    if (areTwoKinds)
      return SUMS.map(({ sum, divisor }) =>
        withConstant('mod', sum(digits, text.cost.with('checkSum')), divisor, Cost.NONE),
      )
    const open = WITH_ZERO(digits, text.cost)
    return SUMS.map(({ sum, divisor }) => checkDigit(sum(open, text.cost), divisor)).filter(isLast)
  })
  return areTwoKinds ? [...found, ...accountChecks(texts, targets), ...digitSums(texts, targets)] : found
}
