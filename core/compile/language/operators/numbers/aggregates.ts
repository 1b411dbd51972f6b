import type { Json } from '../../../../kernel/json/json.ts'
import { failure, type Frame, reserveItems, spend } from '../../evaluate/frame.ts'
import { AVERAGES, CHECK_SUMS, LANGUAGE_2 } from '../../names.ts'
import { addDecimal, calculate, middleNumbers } from '../../primitives/numbers/arithmetic.ts'
import { checkTerms } from '../../primitives/numbers/check-sums.ts'
import { runningSums, stepsBetween } from '../../primitives/numbers/running.ts'
import { LIST, NUMBER } from '../../value-types.ts'
import { operator } from '../entry.ts'
import { added, choice, list } from '../fields.ts'

/** The numbers of a list; each costs 1 fuel. */
function numbersOf(items: readonly Json[], frame: Frame, op: string): readonly number[] {
  spend(frame, items.length)
  if (!items.every((item) => typeof item === 'number')) throw failure('type_mismatch', op)
  return items
}

function finiteOf(result: number | undefined, op: string): number | undefined {
  if (result !== undefined && !Number.isFinite(result)) throw failure('out_of_range', op)
  return result === 0 ? 0 : result
}

/** Reduces a list of numbers; `reduce` gives undefined for a list that has no result. */
const ofList = (
  meaning: string,
  fails: 'missing' | 'out_of_range',
  reduce: (numbers: readonly number[]) => number | undefined,
  vectors: string,
) =>
  operator({
    fields: { list },
    operands: ['list'],
    result: NUMBER,
    meaning,
    fails,
    evaluate: (_given, op) => (items, frame) => finiteOf(reduce(numbersOf(items, frame, op)), op),
    vectors,
  })

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => addDecimal(sum, number), 0)

const pickOf =
  (pick: (left: number, right: number) => number) =>
  ([first, ...others]: readonly number[]): number | undefined =>
    first === undefined ? undefined : others.reduce((best, number) => pick(best, number), first)

/** Makes a list of numbers of a list of numbers. */
const numberList = (meaning: string, make: (numbers: readonly number[]) => readonly number[], vectors: string) =>
  operator({
    since: LANGUAGE_2,
    fields: { list },
    operands: ['list'],
    result: LIST,
    meaning,
    fails: 'out_of_range',
    evaluate: (_given, op) => (items, frame) => {
      reserveItems(frame, items.length)
      const made = make(numbersOf(items, frame, op))
      return made.every((number) => Number.isFinite(number)) ? made : undefined
    },
    vectors,
  })

/** Operators on lists of numbers. */
export const AGGREGATES = {
  sum: operator({
    fields: { list, by: added(choice(CHECK_SUMS)) },
    operands: ['list'],
    result: NUMBER,
    meaning:
      '`add` from left to right; 0 for an empty list. With `by`, the last number counts once, the one before it three times (`ean`), or twice and less 9 where that is above 9 (`luhn`), and so on in turn; or each as often as its place, counted from the last (`isbn`), or, before the last, 2 to 7 times and again from 2 (`mod11`).',
    fails: 'out_of_range',
    evaluate:
      ({ by }, op) =>
      (items, frame) => {
        const numbers = numbersOf(items, frame, op)
        return finiteOf(sumOf(by === undefined ? numbers : checkTerms(numbers, by)), op)
      },
    vectors: String.raw`
      {"body":{"op":"sum","list":{"op":"input"}},"cases":[{"input":[0.1,0.2,0.3],"output":0.6},{"input":[],"output":0},{"input":[1e308,1e308,1],"fails":"out_of_range"},{"input":["1"],"fails":"type_mismatch"}]}
      {"body":{"op":"sum","list":{"op":"input"},"by":"luhn"},"cases":[{"input":[7,9,9,2,7,3,9,8,7,1,3],"output":70},{"input":[5],"output":5},{"input":[1e308,1],"fails":"out_of_range"},{"input":[],"output":0},{"input":["1"],"fails":"type_mismatch"}]}
      {"body":{"op":"sum","list":{"op":"input"},"by":"ean"},"cases":[{"input":[9,7,8,0,3,0,6,4,0,6,1,5,7],"output":100},{"input":[0.5,1],"output":2.5}]}
      {"body":{"op":"sum","list":{"op":"input"},"by":"isbn"},"cases":[{"input":[0,3,0,6,4,0,6,1,5,2],"output":132},{"input":[0.5,1],"output":2}]}
      {"body":{"op":"sum","list":{"op":"input"},"by":"mod11"},"cases":[{"input":[3,0,6,8,6,9,5,7,4],"output":198},{"input":[0.5,1],"output":2}]}
    `,
  }),
  average: operator({
    fields: { list, kind: added(choice(AVERAGES)) },
    operands: ['list'],
    result: NUMBER,
    meaning:
      '`mean`, the default: `sum` divided by the number of items. `median`: the item in the middle by size, or the `mean` of the two of an even number of items. `out_of_range` for an empty list.',
    fails: 'out_of_range',
    evaluate:
      ({ kind = 'mean' }, op) =>
      (items, frame) => {
        const numbers = numbersOf(items, frame, op)
        const counted = kind === 'mean' ? numbers : middleNumbers(numbers)
        return finiteOf(calculate('div', sumOf(counted), counted.length), op)
      },
    vectors: String.raw`
      {"body":{"op":"average","list":{"op":"input"}},"cases":[{"input":[1,2],"output":1.5},{"input":[],"fails":"out_of_range"}]}
      {"body":{"op":"average","list":{"op":"input"},"kind":"mean"},"cases":[{"input":[9,1,2],"output":4}]}
      {"body":{"op":"average","list":{"op":"input"},"kind":"median"},"cases":[{"input":[9,1,2],"output":2},{"input":[10,0.3,-2,0.1],"output":0.2},{"input":[1e308,1e308],"fails":"out_of_range"},{"input":[],"fails":"out_of_range"},{"input":["1"],"fails":"type_mismatch"}]}
    `,
  }),
  smallest: ofList(
    'The smallest number; `missing` for an empty list.',
    'missing',
    pickOf(Math.min),
    String.raw`
    {"body":{"op":"smallest","list":{"op":"input"}},"cases":[{"input":[3,-1,2],"output":-1},{"input":[],"fails":"missing"}]}
  `,
  ),
  largest: ofList(
    'The largest number; `missing` for an empty list.',
    'missing',
    pickOf(Math.max),
    String.raw`
    {"body":{"op":"largest","list":{"op":"input"}},"cases":[{"input":[3,-1,2],"output":3}]}
  `,
  ),
  runningSum: numberList(
    'For each item the sum of it and all before it.',
    runningSums,
    String.raw`
    {"body":{"op":"runningSum","list":{"op":"input"}},"cases":[{"input":[5,0.1,0.2,-1],"output":[5,5.1,5.3,4.3]},{"input":[],"output":[]},{"input":[1e308,1e308],"fails":"out_of_range"},{"input":["1"],"fails":"type_mismatch"}]}
  `,
  ),
  differences: numberList(
    'Each item but the first, less the one before it.',
    stepsBetween,
    String.raw`
    {"body":{"op":"differences","list":{"op":"input"}},"cases":[{"input":[5,7.1,7],"output":[2.1,-0.1]},{"input":[5],"output":[]},{"input":[],"output":[]},{"input":[1e308,-1e308],"fails":"out_of_range"},{"input":["1"],"fails":"type_mismatch"}]}
  `,
  ),
}
