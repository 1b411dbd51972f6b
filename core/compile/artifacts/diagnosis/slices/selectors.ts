import type { Condition } from '../facts/condition.ts'
import type { FactName, FactValue } from '../facts/facts-of.ts'
import { bitsOf, countBits, either, noBits, type Bits } from './bits.ts'
import type { Column } from './columns.ts'

/** A condition, and the rows that meet it. */
export interface Selector {
  readonly condition: Condition
  readonly rows: Bits
  readonly support: number
  /** True for one of the selectors that are joined in pairs: ranges of these are wide. */
  readonly isCoarse: boolean
}

/** Bounds on how many rows a slice has. */
export interface Support {
  readonly least: number
  readonly most: number
}

/** Parts of equal size that ranges begin and end at, in slices of one condition and in pairs. */
const FINE_PARTS = 40
const COARSE_PARTS = 8
const MOST_WORDS = 150
const MOST_NUMBERS = 24
/** Share of the rows in which a word may be. */
const COMMON_WORD = 0.6
const LEAST_ROWS = 5
const LEAST_SHARE = 0.01
const MOST_SHARE = 0.8

/** Facts that say it best first: of conditions that select the same rows the first is kept. */
const ORDER: readonly FactName[] = [
  'present',
  'unlike',
  'type',
  'empty',
  'has',
  'unit',
  'language',
  'script',
  'case',
  'ending',
]
/** Facts that say it worst. */
const LAST: readonly FactName[] = ['shape', 'value']

/** Returns how many rows a slice of so many rows has at least and at most: a condition of nearly all rows says nothing. */
export function supportFor(rows: number): Support {
  return { least: Math.max(LEAST_ROWS, Math.ceil(rows * LEAST_SHARE)), most: Math.floor(rows * MOST_SHARE) }
}

/** Returns every condition on one fact that enough rows meet, without two that select the same rows; simple ones first. */
export function selectorsOf(columns: readonly Column[], total: number): readonly Selector[] {
  const support = supportFor(total)
  const words = columns.filter(({ key }) => key.name === 'word')
  const others = columns.filter(({ key }) => key.name !== 'word').toSorted((a, b) => rankOf(a) - rankOf(b))
  const numeric = others.filter(isNumeric).toSorted((a, b) => b.values.size - a.values.size)
  return distinct([
    ...others.filter((column) => !isNumeric(column)).flatMap((column) => valuesOf(column, total, support)),
    ...words
      .filter(({ values }) => values.size >= support.least && values.size <= total * COMMON_WORD)
      .toSorted((a, b) => b.values.size - a.values.size)
      .slice(0, MOST_WORDS)
      .flatMap((column) => valuesOf(column, total, support)),
    ...numeric
      .slice(0, MOST_NUMBERS)
      .flatMap((column) => [
        ...rangesOf(column, { total, support, parts: COARSE_PARTS, isCoarse: true }),
        ...rangesOf(column, { total, support, parts: FINE_PARTS, isCoarse: false }),
      ]),
  ])
}

function rankOf({ key: { name } }: Column): number {
  const place = ORDER.indexOf(name)
  if (place >= 0) return place
  return ORDER.length + (LAST.includes(name) ? 1 : 0)
}

function isNumeric({ values }: Column): boolean {
  for (const value of values.values()) return typeof value === 'number'
  return false
}

function valuesOf({ key, values }: Column, total: number, support: Support): readonly Selector[] {
  const places = new Map<FactValue, number[]>()
  for (const [place, value] of values) {
    const list = places.get(value)
    if (list === undefined) places.set(value, [place])
    else list.push(place)
  }
  const selectors = [...places].flatMap(([is, list]) =>
    selectorFor({ ...key, is }, bitsOf(total, list), { support, isCoarse: true }),
  )
  if (key.name !== 'present') return selectors
  const missing = Array.from({ length: total }, (_, place) => place).filter((place) => !values.has(place))
  return [...selectorFor({ ...key, absent: true }, bitsOf(total, missing), { support, isCoarse: true }), ...selectors]
}

function selectorFor(
  condition: Condition,
  rows: Bits,
  { support, isCoarse }: { readonly support: Support; readonly isCoarse: boolean },
): readonly Selector[] {
  const count = countBits(rows)
  return count < support.least || count > support.most ? [] : [{ condition, rows, support: count, isCoarse }]
}

interface RangeOptions {
  readonly total: number
  readonly support: Support
  readonly parts: number
  readonly isCoarse: boolean
}

function rangesOf(column: Column, { total, support, parts, isCoarse }: RangeOptions): readonly Selector[] {
  const cut = partsOf(column, parts)
  return cut.flatMap((first, from) => {
    const selectors: Selector[] = []
    let rows = noBits(total)
    for (const part of cut.slice(from)) {
      rows = either(rows, bitsOf(total, part.places))
      const condition = { ...column.key, from: first.low, to: part.high }
      selectors.push(...selectorFor(condition, rows, { support, isCoarse }))
    }
    return selectors
  })
}

interface Part {
  readonly low: number
  high: number
  readonly places: number[]
}

/** Cuts the values of a column into parts of nearly equal numbers of rows; equal values stay together. */
function partsOf({ values }: Column, parts: number): readonly Part[] {
  const sorted = [...values].map(([place, value]) => [Number(value), place] as const).toSorted(([a], [b]) => a - b)
  const size = sorted.length / parts
  const cut: Part[] = []
  for (const [at, [value, place]] of sorted.entries()) {
    const last = cut.at(-1)
    const isNew = last === undefined || (value !== last.high && at >= cut.length * size)
    if (isNew) cut.push({ low: value, high: value, places: [place] })
    else {
      last.high = value
      last.places.push(place)
    }
  }
  return cut
}

function distinct(selectors: readonly Selector[]): readonly Selector[] {
  const seen = new Set<string>()
  return selectors.filter(({ rows }) => {
    const text = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength).toString('latin1')
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
}

/** Returns the values of the fact that a range is of, ascending and distinct, with the rows of each. */
export function sortedValues(
  column: Column,
): readonly { readonly value: number; readonly places: readonly number[] }[] {
  return partsOf(column, column.values.size).map(({ low, places }) => ({ value: low, places }))
}
