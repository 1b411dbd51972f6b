import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Row } from '../../rows/task.ts'
import { failedChecks } from './check-output.ts'
import { classesOf, shapeOf } from './text-shape.ts'
import { EACH, jsonTypeOf, valuesAt } from './values-at.ts'
import type { Check, ValuePath } from './verifier-types.ts'

const MAX_DEPTH = 3
const MAX_PATHS = 64
const MAX_SHAPES = 4
const MAX_VALUES = 1000
/** Distinct texts at a path count as a closed set when each occurs three times on average. */
const ROWS_PER_VALUE = 3

/** All paths into outputs, outermost first. */
function pathsOf(outputs: readonly Json[]): readonly ValuePath[] {
  const paths: ValuePath[] = [[]]
  for (let i = 0; i < paths.length && paths.length < MAX_PATHS; i++) {
    const path = paths[i] ?? []
    if (path.length >= MAX_DEPTH) continue
    const values = outputs.flatMap((output) => valuesAt(output, path))
    if (values.some((value) => Array.isArray(value))) paths.push([...path, EACH])
    const members = new Set(values.flatMap((value) => (isJsonObject(value) ? Object.keys(value) : [])))
    members.delete(EACH)
    for (const member of [...members].sort()) paths.push([...path, member])
  }
  return paths.slice(0, MAX_PATHS)
}

/** The least number of a list; a loop, since arguments have their place on the stack, and lists may be long. */
function least(values: readonly number[]): number {
  return values.reduce((found, value) => Math.min(found, value), Infinity)
}

/** The largest number of a list. */
function most(values: readonly number[]): number {
  return values.reduce((found, value) => Math.max(found, value), -Infinity)
}

function textChecks(path: ValuePath, at: string, texts: readonly string[], total: number): Check[] {
  if (texts.length === 0) return []
  const checks: Check[] = []
  const distinct = new Set(texts)
  if (texts.length === total && distinct.size * ROWS_PER_VALUE <= texts.length && distinct.size <= MAX_VALUES) {
    checks.push({ id: `one_of:${at}`, kind: 'one_of', path, values: [...distinct].sort() })
  }
  const lengths = texts.map((text) => text.length)
  checks.push({
    id: `length:${at}`,
    kind: 'length',
    path,
    min: Math.floor(least(lengths) / 2),
    max: most(lengths) * 2 + 2,
  })
  for (const level of ['exact', 'loose'] as const) {
    const shapes = new Set(texts.map((text) => shapeOf(text, level)))
    if (shapes.size <= MAX_SHAPES)
      checks.push({ id: `shape_${level}:${at}`, kind: 'shape', path, level, shapes: [...shapes].sort() })
  }
  const classes = new Set(texts.flatMap((text) => [...classesOf(text)]))
  checks.push({ id: `characters:${at}`, kind: 'characters', path, classes: [...classes].sort() })
  return checks
}

function numberChecks(path: ValuePath, at: string, numbers: readonly number[]): Check[] {
  if (numbers.length === 0) return []
  const min = least(numbers)
  const max = most(numbers)
  // Doubles the seen range, but does not cross zero unless the seen values do.
  const room = Math.max(max - min, Math.abs(max), Math.abs(min))
  const range: Check = {
    id: `range:${at}`,
    kind: 'range',
    path,
    min: min >= 0 ? Math.max(0, min - room) : min - room,
    max: max <= 0 ? Math.min(0, max + room) : max + room,
  }
  return numbers.every(Number.isInteger) ? [range, { id: `integer:${at}`, kind: 'integer', path }] : [range]
}

function structureChecks(path: ValuePath, at: string, values: readonly Json[]): Check[] {
  const checks: Check[] = []
  const objects = values.filter(isJsonObject)
  if (objects.length > 0) {
    const names = [...new Set(objects.flatMap(Object.keys))].sort()
    const required = names.filter((name) => objects.every((one) => Object.hasOwn(one, name)))
    checks.push({ id: `members:${at}`, kind: 'members', path, required, closed: required.length === names.length })
  }
  const sizes = values.flatMap((value) => (Array.isArray(value) ? [value.length] : []))
  if (sizes.length > 0) {
    const same = sizes.every((size) => size === sizes[0])
    const max = most(sizes)
    checks.push({ id: `items:${at}`, kind: 'items', path, min: same ? max : 0, max: same ? max : max * 2 + 2 })
  }
  return checks
}

function relationChecks(path: ValuePath, at: string): Check[] {
  return [
    { id: `copied:${at}`, kind: 'copied', path, unit: 'text', fold: false },
    { id: `copied_folded:${at}`, kind: 'copied', path, unit: 'text', fold: true },
    { id: `copied_words:${at}`, kind: 'copied', path, unit: 'tokens', fold: true },
    { id: `copied_characters:${at}`, kind: 'copied', path, unit: 'characters', fold: true },
  ]
}

/**
 * Checks of digits, except where they hold by chance: 8.1 is written 8.10 in most inputs, and the number in the name of a label
 * (`class_1`) has nothing to do with those of an input.
 */
function digitChecks(path: ValuePath, at: string, values: readonly Json[], checks: readonly Check[]): Check[] {
  const haveFractions = values.some((value) => typeof value === 'number' && !Number.isInteger(value))
  if (haveFractions || checks.some(({ kind }) => kind === 'one_of')) return []
  return [
    { id: `numbers_from_input:${at}`, kind: 'numbers_kept', path, direction: 'from_input' },
    { id: `numbers_all_kept:${at}`, kind: 'numbers_kept', path, direction: 'all_of_input' },
  ]
}

/** Drops redundant checks: no digit to keep, or implied by a stricter check. */
export function withoutIdle(checks: readonly Check[], rows: readonly Row[]): readonly Check[] {
  const ids = new Set(checks.map(({ id }) => id))
  return checks.filter((check) => {
    const at = check.id.slice(check.id.indexOf(':'))
    if (check.kind === 'copied' && check.unit === 'text' && check.fold) return !ids.has(`copied${at}`)
    if (check.kind === 'copied' && check.unit === 'tokens')
      return !ids.has(`copied${at}`) && !ids.has(`copied_folded${at}`)
    if (check.kind === 'copied' && check.unit === 'characters') {
      return !['copied', 'copied_folded', 'copied_words'].some((stricter) => ids.has(`${stricter}${at}`))
    }
    if (check.kind === 'shape' && check.level === 'loose') return !ids.has(`shape_exact${at}`)
    if (check.kind !== 'numbers_kept') return true
    return rows.some(({ input, output }) => /\d/.test(canonicalJson(check.direction === 'from_input' ? output : input)))
  })
}

/** Returns the text of a path in the id of a check. */
export function nameOfPath(path: ValuePath): string {
  return path.length === 0 ? '.' : path.join('.')
}

/** A path with the values that documents have there. */
export interface ValuesAtPath {
  readonly path: ValuePath
  readonly values: readonly Json[]
}

/** Returns the paths into documents with the values there, outermost first. */
export function valuesByPath(documents: readonly Json[]): readonly ValuesAtPath[] {
  return pathsOf(documents).map((path) => ({ path, values: documents.flatMap((one) => valuesAt(one, path)) }))
}

/** Returns the checks of the values at one path, without regard to other documents. */
export function checksOfValues({ path, values }: ValuesAtPath): readonly Check[] {
  const at = nameOfPath(path)
  const texts = values.filter((value) => typeof value === 'string')
  const numbers = values.filter((value) => typeof value === 'number')
  const types = [...new Set(values.map(jsonTypeOf))].sort()
  return [
    { id: `type:${at}`, kind: 'type', path, types },
    ...structureChecks(path, at, values),
    ...textChecks(path, at, texts, values.length),
    ...numberChecks(path, at, numbers),
  ]
}

/** All checks that every one of the rows passes, the idle ones among them. */
export function generateChecks(rows: readonly Row[]): readonly Check[] {
  const checks = valuesByPath(rows.map(({ output }) => output)).flatMap((one) => {
    const isScalar = one.values.every((value) => value === null || typeof value !== 'object')
    const isRelated = isScalar && one.values.some((value) => typeof value === 'string' || typeof value === 'number')
    const own = checksOfValues(one)
    if (!isRelated) return own
    const at = nameOfPath(one.path)
    return [...own, ...relationChecks(one.path, at), ...digitChecks(one.path, at, one.values, own)]
  })
  const refusing = new Set(rows.flatMap(({ input, output }) => failedChecks(checks, input, output)))
  return checks.filter(({ id }) => !refusing.has(id))
}
