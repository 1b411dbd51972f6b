import type { Json } from '../../../core/kernel/json/json.ts'
import { createRandom, type Random } from '../../../core/model/random.ts'
import { longText, many, ODD_NAMES, oddNumber, oddText, oneOf } from './odd-values.ts'

/** Examples as a caller may send them, with what they are meant to be like. */
export interface OddSet {
  readonly name: string
  readonly examples: readonly { readonly input: unknown; readonly output: unknown }[]
}

type MakeInput = (random: Random, place: number) => Json
type Answer = (input: Json, place: number, random: Random) => Json

const LONGEST_CELL = 10_000

function nested(depth: number, leaf: Json, asList: boolean): Json {
  let value = leaf
  for (let level = 0; level < depth; level++) value = asList ? [value] : { a: value }
  return value
}

function members(random: Random, count: number): Json {
  return Object.fromEntries(
    many(count, (i) => [
      i < 3 ? `m${i}` : oneOf(random, [...ODD_NAMES, `m${i}`]),
      oneOf<Json>(random, [oddText(random, false), oddNumber(random), null, true, [], {}]),
    ]),
  )
}

/** Makers of inputs; what the rows of a set share is drawn once. */
const INPUTS: Readonly<Record<string, (random: Random) => MakeInput>> = {
  'long equal prefix': (random) => {
    const prefix = longText(random, oneOf(random, [200, 513, 513, 600, 1200]))
    return (own, place) => `${prefix}${oddText(own, false)}${place}`
  },
  'long equal suffix': (random) => {
    const suffix = longText(random, oneOf(random, [200, 513, 1200]))
    return (own, place) => `${place} ${oddText(own, false)}${suffix}`
  },
  'long equal middle': (random) => {
    const middle = longText(random, oneOf(random, [300, 513, 900]))
    return (own, place) => `${oddText(own, false)}${place}${middle}${oddText(own, false)}`
  },
  'odd texts': () => (own, place) => `${oddText(own, true)}${own.below(3) === 0 ? place : ''}`,
  'odd texts joined': (random) => {
    const mark = oneOf(random, [',', ' ', '|', '.', '\\', '$', '\u0000', '👍', '"', '\n', '((', '][', '---'])
    return (own, place) => [...many(1 + own.below(6), () => oddText(own, false)), String(place)].join(mark)
  },
  'long cells': (random) => {
    const base = longText(random, LONGEST_CELL - 200 - random.below(5000))
    return (own, place) =>
      own.below(2) === 0 ? `${place}${base.slice(0, base.length >> 1)}` : `${place} ${oddText(own, false)}`
  },
  'one very long cell': (random) => {
    const at = random.below(4)
    return (own, place) => (place === at ? `a${longText(own, 9000)}`.toWellFormed() : `row ${place}`)
  },
  numbers: () => (own, place) => (own.below(4) === 0 ? place : oddNumber(own)),
  'lists of numbers': () => (own, place) => [...many(own.below(8), () => oddNumber(own)), place],
  'wide lists': () => (own, place) => [...many(own.below(300), (i) => (i * 7 + place) % 100), place],
  'lists of texts': () => (own, place) => [...many(own.below(6), () => oddText(own, false)), `t${place}`],
  deep: (random) => {
    const [depth, asList] = [1 + random.below(60), random.below(2) === 0]
    return (own, place) => nested(depth, `${oddText(own, false)}${place}`, asList)
  },
  objects: (random) => {
    const count = 1 + random.below(8)
    return (own, place) => ({ ...(members(own, count) as object), place })
  },
  'many members': (random) => {
    const count = 50 + random.below(60)
    return (own, place) => Object.fromEntries(many(count, (i) => [`member ${i}`, i === 3 ? place : own.below(9)]))
  },
  'mixed types': () => (own, place) =>
    oneOf<Json>(own, [
      place,
      `t${place}`,
      [place],
      { a: place },
      own.below(2) === 0,
      `${oddText(own, false)}${place}`,
      oddNumber(own),
    ]),
  'hardly any': () => (own) => oneOf<Json>(own, ['', ' ', 'a', 0, 1, true, false, [], {}, [null], { a: null }]),
  dates: () => (own, place) =>
    oneOf<Json>(own, [
      oddText(own, false),
      `20${10 + (place % 80)}-0${1 + (place % 9)}-1${place % 10}`,
      `${1 + (place % 28)}/${1 + (place % 12)}/19${10 + (place % 90)}`,
    ]),
  'objects in lists': () => (own, place) =>
    many(own.below(5), (i) => ({ name: oddText(own, false), n: i + place, deep: [[i]] })),
}

const textOf = (input: Json): string => (typeof input === 'string' ? input : JSON.stringify(input))
const numberOf = (input: Json): number => (typeof input === 'number' ? input : textOf(input).length)
const wellFormed = (text: string): string => text.toWellFormed()

/** Outputs for an input: rules that programs can say, and others. */
const ANSWERS: Readonly<Record<string, (random: Random) => Answer>> = {
  same: () => (input) => input,
  constant: (random) => {
    const value = oneOf<Json>(random, ['', 'x', null, 0, true, [], {}, oddText(random, false), longText(random, 3000)])
    return () => value
  },
  null: () => () => null,
  upper: () => (input) => textOf(input).toUpperCase(),
  'last part': () => (input) => wellFormed(textOf(input).slice(-5)),
  'first part': () => (input) => wellFormed(textOf(input).slice(0, 7)),
  'without the start': () => (input) => wellFormed(textOf(input).slice(12)),
  'long part': () => (input) => wellFormed(textOf(input).slice(0, 1500)),
  reversed: () => (input) => Array.from(textOf(input)).toReversed().join(''),
  'digits only': () => (input) => textOf(input).replace(/\D/g, ''),
  wrapped: (random) => {
    const [before, after] = [oddText(random, false), oddText(random, false)]
    return (input) => `${before}${textOf(input).slice(0, 200)}${after}`.toWellFormed()
  },
  length: () => (input) => numberOf(input),
  doubled: () => (input) => Math.max(-1e15, Math.min(1e15, numberOf(input) * 2)),
  'as a number': () => (input) => Number(textOf(input).replace(/\D/g, '').slice(0, 12)),
  parity: () => (input) => (numberOf(input) % 2 === 0 ? 'even' : 'odd'),
  threshold: () => (input) => numberOf(input) > 10,
  label: (random) => {
    const labels = many(2 + random.below(3), () => oddText(random, false))
    return (_input, place) => labels[place % labels.length] ?? ''
  },
  'number label': () => (_input, place) => place % 3,
  split: () => (input) => textOf(input).slice(0, 400).split(/[ ,|]/).map(wellFormed),
  object: () => (input, place) => ({ text: wellFormed(textOf(input).slice(0, 20)), place, '': null }),
  'odd object': (random) => (input) => ({ [oneOf(random, ODD_NAMES)]: wellFormed(textOf(input).slice(0, 9)) }),
  'deep object': (random) => {
    const depth = 1 + random.below(50)
    return (input) => nested(depth, wellFormed(textOf(input).slice(0, 9)), false)
  },
  'lists in lists': () => (input) => [[wellFormed(textOf(input).slice(0, 4))], [[numberOf(input)]]],
  mixed: () => (input, place, random) =>
    oneOf<Json>(random, [textOf(input).slice(0, 3).toWellFormed(), place, null, true, [place], {}]),
  noise: () => (_input, _place, random) => `${oddText(random, false)}${random.below(1000)}`,
  'odd number': () => (_input, _place, random) => oddNumber(random),
}

const MOST_LONG_ROWS = 4
const COUNTS = [1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 12, 13, 20, 21, 24] as const

/** The set of a seed: the same one each time. */
export function oddSet(seed: number): OddSet {
  const random = createRandom(seed, 'odd sets')
  const inputName = oneOf(random, Object.keys(INPUTS))
  const answerName = oneOf(random, Object.keys(ANSWERS))
  const makeInput = INPUTS[inputName]?.(random)
  const answer = ANSWERS[answerName]?.(random)
  if (makeInput === undefined || answer === undefined) throw new RangeError('there is no such maker')
  // Long rows take their time; a few of them show as much as many.
  const rows = Math.min(oneOf(random, COUNTS), inputName.includes('long') ? MOST_LONG_ROWS : Infinity)
  const examples = many(rows, (place) => {
    const input = makeInput(random, place)
    return { input, output: answer(input, place, random) }
  })
  const first = examples[0]
  const repeated = first === undefined || random.below(6) > 0 ? [] : many(30, () => first)
  return { name: `${seed}: ${inputName}, ${answerName}`, examples: [...examples, ...repeated] }
}
