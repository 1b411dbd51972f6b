import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { FeatureCounts } from '../../classifier/hash-table.ts'
import { DATE_PARTS, MODEL_BOUNDS, type Column, type Path } from '../recipe/tabular-recipe.ts'
import { createFeatureReader, eachTextHash, readBoolean, type CharGrams } from './feature-reader.ts'
import { dateFormOf, mostRead, numberFormOf } from './infer-forms.ts'
import { categoryOf, isMissing, valueAt } from './read-values.ts'

/** Rows that decide which columns exist and of which kind they are. */
const INSPECTED_ROWS = 20_000
const MAX_CATEGORIES = 64
/** From this number of rows on, a value that occurs once counts as unseen, so that the model learns what that means. */
const RARE_FROM_ROWS = 12
const MAX_TEXT_HASHES = 256
/** Runs of characters that stand for words in scripts without spaces. */
const RUNS_WITHOUT_SPACES: CharGrams = [1, 2]
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu
const COUNTED_HASHES = 100_000
/** Numbers of the matrix of all features at most. */
const MAX_CELLS = 16_000_000

/** A place of the input without a feature, and why. */
export interface DroppedColumn {
  readonly path: string
  readonly reason: 'constant' | 'missing' | 'nested list' | 'too many columns'
}

/** The columns of a table of inputs. */
export interface InferredColumns {
  readonly columns: readonly Column[]
  readonly dropped: readonly DroppedColumn[]
}

/** Finds the columns of inputs: one for each member, item of a list of fixed length, or for the input itself. */
export function inferColumns(inputs: readonly Json[]): InferredColumns {
  const stride = Math.ceil(inputs.length / INSPECTED_ROWS)
  const seen = stride <= 1 ? inputs : inputs.filter((_, i) => i % stride === 0)
  const dropped: DroppedColumn[] = []
  const columns: Column[] = []
  let features = 0
  const mostFeatures = Math.min(MODEL_BOUNDS.features, Math.max(16, Math.floor(MAX_CELLS / inputs.length)))
  for (const { path, isList } of leafPaths(seen)) {
    const drop = (reason: DroppedColumn['reason']): void => void dropped.push({ path: nameOf(path), reason })
    if (columns.length >= MODEL_BOUNDS.columns || features >= mostFeatures) {
      drop('too many columns')
      continue
    }
    const values = seen.map((input) => valueAt(input, path))
    const present = values.filter((value) => value !== undefined && !isMissing(value))
    if (present.length === 0) {
      drop('missing')
      continue
    }
    const wide = isList
      ? lengthColumn(path)
      : columnOf(
          path,
          present.flatMap((value) => value ?? []),
          seen.length,
          mostFeatures - features,
        )
    const column = withoutConstants(wide, seen)
    if (column === undefined) {
      drop(isList ? 'nested list' : 'constant')
      continue
    }
    columns.push(column)
    features += createFeatureReader([column]).features
  }
  return { columns: withSharedMark(columns), dropped }
}

/** Columns whose values do not show their decimal mark have that of the others, where these agree. */
function withSharedMark(columns: readonly Column[]): readonly Column[] {
  const marks = new Set(columns.flatMap((column) => (column.kind === 'number' ? (column.form?.decimal ?? []) : [])))
  const [decimal] = marks
  if (decimal === undefined || marks.size > 1) return columns
  return columns.map((column) =>
    column.kind === 'number' && column.form?.decimal === null
      ? { ...column, form: { ...column.form, decimal } }
      : column,
  )
}

function nameOf(path: Path): string {
  return path.length === 0 ? '(input)' : path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join('.')
}

interface Place {
  readonly path: Path
  /** A list whose length differs from row to row. */
  readonly isList: boolean
}

/** The places of scalars, in the order of their canonical names; every row is looked at. */
function leafPaths(inputs: readonly Json[], path: Path = []): readonly Place[] {
  const values = inputs.flatMap((input) => {
    const value = valueAt(input, path)
    return value === undefined || value === null ? [] : [value]
  })
  const objects = values.filter((value) => isJsonObject(value))
  const lists = values.filter((value) => Array.isArray(value))
  const isDeep = path.length >= MODEL_BOUNDS.pathSteps
  if (objects.length * 2 > values.length && !isDeep) {
    const names = new Set(objects.flatMap((value) => Object.keys(value)))
    if (names.size > MODEL_BOUNDS.columns * 4) return []
    return [...names].sort().flatMap((name) => leafPaths(inputs, [...path, name]))
  }
  if (lists.length * 2 > values.length) {
    const length = lists[0]?.length ?? 0
    const isFixed = length > 0 && length <= MODEL_BOUNDS.columns && lists.every((list) => list.length === length)
    if (!isFixed || isDeep) return [{ path, isList: true }]
    return Array.from({ length }, (_, i) => leafPaths(inputs, [...path, i])).flat()
  }
  return [{ path, isList: false }]
}

function lengthColumn(path: Path): Column {
  return { kind: 'length', path, parts: ['value', 'missing'] }
}

/** The column of values that are there, with all its parts. */
function columnOf(path: Path, present: readonly Json[], rows: number, room: number): Column {
  if (mostRead(present, (value) => !Number.isNaN(readBoolean(value))))
    return { kind: 'boolean', path, parts: ['value', 'missing'] }
  const name = path.findLast((step) => typeof step === 'string') ?? ''
  const form = numberFormOf(present, name)
  if (form !== undefined) return { kind: 'number', path, ...form, parts: ['value', 'missing'] }
  const order = dateFormOf(present, name)
  if (order !== undefined) return { kind: 'date', path, ...order, parts: [...DATE_PARTS] }
  const counts = new Map<string, number>()
  for (const value of present) counts.set(categoryOf(value), (counts.get(categoryOf(value)) ?? 0) + 1)
  const texts = present.flatMap((value) => (typeof value === 'string' ? [value] : []))
  const words = texts.reduce((sum, text) => sum + text.trim().split(/\s+/u).length, 0)
  const charGrams = haveSpaces(texts) ? undefined : RUNS_WITHOUT_SPACES
  const isFew = counts.size <= Math.min(MAX_CATEGORIES, present.length / 2)
  if (!isFew && texts.length * 2 > present.length && (charGrams !== undefined || words >= texts.length * 1.5)) {
    const hashes = [...textHashes(texts, charGrams, room)]
    return {
      kind: 'text',
      path,
      hashes,
      ...(charGrams && { charGrams: [...charGrams] }),
      parts: ['characters', 'missing'],
    }
  }
  const least = rows >= RARE_FROM_ROWS ? 2 : 1
  const kept = [...counts]
    .filter(([, count]) => count >= least)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, Math.max(1, Math.min(MAX_CATEGORIES, room)))
    .map(([value]) => value)
    .sort()
  // A column of values that all differ has no category to tell; one value keeps the form valid.
  const values = kept.length > 0 ? kept : [...counts.keys()].sort().slice(0, 1)
  return { kind: 'category', path, values, parts: ['unseen', 'missing'] }
}

/** Characters from which the script of a column is inferred. */
const SCRIPT_SAMPLE = 10_000

/** True unless most letters of the texts are of a script without spaces, where a run of letters is a sentence and no word. */
function haveSpaces(texts: readonly string[]): boolean {
  let sample = ''
  for (const text of texts) {
    if (sample.length >= SCRIPT_SAMPLE) break
    sample += `${text.slice(0, SCRIPT_SAMPLE)} `
  }
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  return (sample.match(UNSPACED)?.length ?? 0) * 2 <= letters
}

/**
 * Hashes that most texts have, of those that at least two have. The penalty of the learners weighs them: a lower bound on texts
 * for each hash would drop the words that tell few rows apart.
 */
function textHashes(texts: readonly string[], charGrams: CharGrams | undefined, room: number): Uint32Array {
  const counts = new FeatureCounts(COUNTED_HASHES)
  for (const text of texts) {
    const own = new Set<number>()
    eachTextHash(text, charGrams, (hash) => own.add(hash))
    for (const hash of own) counts.add(hash)
  }
  if (texts.length > RARE_FROM_ROWS) counts.dropSingletons()
  return counts.mostFrequent(Math.max(0, Math.min(MAX_TEXT_HASHES, room - 2)))
}

/** The column without the features that have one value in all rows; undefined when none is left. */
function withoutConstants(column: Column, inputs: readonly Json[]): Column | undefined {
  const reader = createFeatureReader([column])
  const first = new Float64Array(reader.features)
  const row = new Float64Array(reader.features)
  const varies = new Uint8Array(reader.features)
  for (const [i, input] of inputs.entries()) {
    reader.read(input, i === 0 ? first : row, 0)
    if (i > 0) for (let f = 0; f < row.length; f++) if (!Object.is(row[f], first[f])) varies[f] = 1
  }
  if (!varies.includes(1)) return undefined
  const own = varies.length - column.parts.length
  const isKept = <T>(_: T, i: number): boolean => varies[i] === 1
  const isKeptPart = <T>(_: T, i: number): boolean => varies[own + i] === 1
  switch (column.kind) {
    case 'category': {
      const values = column.values.filter(isKept)
      return values.length === 0 ? undefined : { ...column, values, parts: column.parts.filter(isKeptPart) }
    }
    case 'text':
      return {
        ...column,
        hashes: column.hashes.filter(isKept),
        parts: keepSome(column.parts, isKeptPart, 'characters'),
      }
    case 'date':
      return { ...column, parts: keepSome(column.parts, isKeptPart, 'missing') }
    default:
      return { ...column, parts: keepSome(column.parts, isKeptPart, 'value') }
  }
}

/** The parts that are kept; one of them stays where the form of the column needs one. */
function keepSome<T>(parts: readonly T[], isKept: (part: T, i: number) => boolean, fallback: T): T[] {
  const kept = parts.filter(isKept)
  return kept.length > 0 ? kept : [fallback]
}
