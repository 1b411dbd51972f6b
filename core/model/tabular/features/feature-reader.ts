import type { Json } from '../../../kernel/json/json.ts'
import { eachFeature } from '../../classifier/features.ts'
import { createIndex } from '../../classifier/hash-table.ts'
import { countFeatures, type Column } from '../recipe/tabular-recipe.ts'
import { readIsoDate, readLocalDate } from './read-dates.ts'
import { readLocalNumber, readNumber } from './read-numbers.ts'
import { categoryOf, isMissing, valueAt } from './read-values.ts'

/** Lengths of the runs of characters that a text column reads: none, unless its recipe names them. */
export type CharGrams = readonly [shortest: number, longest: number]
const NO_CHAR_GRAMS: CharGrams = [0, 0]

/**
 * Calls `emit` with the hash of each word, pair of words, and run of characters inside a word (docs/formats/classifier-format.md,
 * section 3).
 */
export function eachTextHash(text: string, charGrams: CharGrams | undefined, emit: (hash: number) => void): void {
  eachFeature(text, { wordGrams: 2, charGrams: charGrams ?? NO_CHAR_GRAMS }, emit)
}

/** Writes the features of one column from `at` on; NaN stands for a missing value. */
type ColumnReader = (value: Json | undefined, out: Float64Array, at: number) => void

/** Reads inputs as vectors of numbers. */
export interface FeatureReader {
  readonly features: number
  /** Writes the features of an input from `at` on. */
  read(input: Json, out: Float64Array, at: number): void
}

/** Makes the reader of the features that the columns name, in their order. */
export function createFeatureReader(columns: readonly Column[]): FeatureReader {
  const readers = columns.map((column) => ({
    path: column.path,
    read: columnReader(column),
    count: countFeatures(column),
  }))
  return {
    features: readers.reduce((sum, { count }) => sum + count, 0),
    read(input, out, at) {
      let place = at
      for (const { path, read, count } of readers) {
        read(valueAt(input, path), out, place)
        place += count
      }
    },
  }
}

function columnReader(column: Column): ColumnReader {
  const { kind, parts } = column
  if (kind === 'category') return categoryReader(column.values, parts)
  if (kind === 'text') return textReader(Uint32Array.from(column.hashes), column.charGrams, parts)
  if (kind === 'date') {
    const { order } = column
    return (value, out, at) => {
      const date = order === undefined ? readIsoDate(value) : readLocalDate(value, order)
      for (const [i, part] of parts.entries())
        out[at + i] = part === 'missing' ? Number(date === undefined) : (date?.[part] ?? NaN)
    }
  }
  const form = kind === 'number' ? column.form : undefined
  const toNumber =
    form === undefined
      ? { number: readNumber, boolean: readBoolean, length: readLength }[kind]
      : (value: Json | undefined) => readLocalNumber(value, form)
  const [first, second] = parts
  return (value, out, at) => {
    const number = toNumber(value)
    const missing = Number(Number.isNaN(number))
    out[at] = first === 'value' ? number : missing
    if (second !== undefined) out[at + 1] = second === 'value' ? number : missing
  }
}

/** 1 for true, 0 for false, NaN for everything else. */
export function readBoolean(value: Json | undefined): number {
  return typeof value === 'boolean' ? Number(value) : NaN
}

/** The number of elements of a list, NaN for everything else. */
export function readLength(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : NaN
}

function categoryReader(values: readonly string[], parts: readonly ('unseen' | 'missing')[]): ColumnReader {
  const placeOf = new Map(values.map((value, i) => [value, i]))
  return (value, out, at) => {
    out.fill(0, at, at + values.length)
    const isAbsent = value === undefined || isMissing(value)
    const place = isAbsent ? undefined : placeOf.get(categoryOf(value))
    if (place !== undefined) out[at + place] = 1
    for (const [i, part] of parts.entries())
      out[at + values.length + i] = Number(part === 'missing' ? isAbsent : !isAbsent && place === undefined)
  }
}

function textReader(
  hashes: Uint32Array,
  charGrams: CharGrams | undefined,
  parts: readonly ('characters' | 'missing')[],
): ColumnReader {
  const placeOf = createIndex(hashes)
  return (value, out, at) => {
    out.fill(0, at, at + hashes.length)
    const text = typeof value === 'string' && !isMissing(value) ? value : undefined
    if (text !== undefined) {
      eachTextHash(text, charGrams, (hash) => {
        const place = placeOf(hash)
        if (place >= 0) out[at + place] = 1
      })
    }
    for (const [i, part] of parts.entries())
      out[at + hashes.length + i] = part === 'missing' ? Number(text === undefined) : (text?.length ?? 0)
  }
}
