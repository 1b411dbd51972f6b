import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { EACH, equalityOf, MAX_NAME, MAX_RULES, MAX_STEPS, type Equality, type EqualityRule } from './equality.ts'

/** Decimals up to which a number counts as written by people; more are what arithmetic leaves. */
const WRITTEN_DECIMALS = 6
/** The absolute tolerance is a millionth of the finest unit. Exponents of ten, as all that follow. */
const BELOW_UNIT = 6
/** The relative tolerance stays a thousandth of the finest written unit at the largest magnitude. */
const BELOW_WRITTEN = 3
const LOOSEST_EXPONENT = -9
/** Rounding of a few operations on doubles: no relative tolerance is tighter. */
const TIGHTEST_RELATIVE = -14
/** Doubles end soon after. */
const TIGHTEST_ABSOLUTE = -300

/** A path, with what stands there in the outputs. Units and magnitudes are exponents of ten. */
interface Place {
  readonly path: readonly string[]
  readonly below: Map<string, Place>
  hasNumber: boolean
  finest: number
  finestWritten: number
  largest: number
  isComposed: boolean
  isDecomposed: boolean
}

function placeAt(path: readonly string[]): Place {
  return {
    path,
    below: new Map(),
    hasNumber: false,
    finest: Infinity,
    finestWritten: Infinity,
    largest: -Infinity,
    isComposed: false,
    isDecomposed: false,
  }
}

function noteNumber(place: Place, value: number): void {
  place.hasNumber = true
  if (value === 0 || !Number.isFinite(value)) return
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e')
  const exponent = Number(power)
  const decimals = Math.max(0, Math.max(0, mantissa.length - 2) - exponent)
  const isWritten = decimals <= WRITTEN_DECIMALS
  place.finest = Math.min(place.finest, isWritten ? -decimals : exponent - BELOW_UNIT)
  if (isWritten) place.finestWritten = Math.min(place.finestWritten, -decimals)
  place.largest = Math.max(place.largest, exponent)
}

const BEYOND_ASCII = /[^\0-\x7f]/

function noteText(place: Place, value: string): void {
  if (!BEYOND_ASCII.test(value)) return
  place.isComposed ||= value.normalize('NFD') !== value
  place.isDecomposed ||= value.normalize('NFC') !== value
}

function note(value: Json, place: Place): void {
  if (typeof value === 'number') noteNumber(place, value)
  else if (typeof value === 'string') noteText(place, value)
  if (typeof value !== 'object' || value === null || place.path.length >= MAX_STEPS) return
  const parts: readonly (readonly [string, Json | undefined])[] = isJsonObject(value)
    ? Object.entries(value)
    : value.map((item) => [EACH, item] as const)
  for (const [step, part] of parts) {
    if (part === undefined || step.length > MAX_NAME) continue
    const known = place.below.get(step)
    const next = known ?? placeAt([...place.path, step])
    if (known === undefined) place.below.set(step, next)
    note(part, next)
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

function powerOfTen(exponent: number): number {
  return Number(`1e${exponent}`)
}

function numberRules({ path, hasNumber, finest, finestWritten, largest }: Place): EqualityRule[] {
  if (!hasNumber) return []
  const absolute = clamp(finest - BELOW_UNIT, TIGHTEST_ABSOLUTE, LOOSEST_EXPONENT)
  const relative = clamp(finestWritten - BELOW_WRITTEN - 1 - largest, TIGHTEST_RELATIVE, LOOSEST_EXPONENT)
  return [{ path, kind: 'number', relative: powerOfTen(relative), absolute: powerOfTen(absolute) }]
}

function textRules({ path, isComposed, isDecomposed }: Place): EqualityRule[] {
  return isComposed && isDecomposed ? [{ path, kind: 'text', form: 'nfc' }] : []
}

function collect(place: Place, rulesOf: (place: Place) => EqualityRule[]): EqualityRule[] {
  return [...rulesOf(place), ...[...place.below.values()].flatMap((inner) => collect(inner, rulesOf))]
}

function readPlaces(outputs: Iterable<Json>): Place {
  const root = placeAt([])
  for (const output of outputs) note(output, root)
  return root
}

/**
 * Infers the equality of a task from the outputs of its rows; their order does not matter. A path with numbers gets
 * tolerances below the decimals that its numbers show. Texts are compared in NFC where the evaluated outputs at a path
 * hold both composed and decomposed characters, since their form then means nothing; otherwise exactly. `evaluated` are
 * the outputs that evals.json shows, all of them unless given, so that a verifier can infer the same text rules.
 */
export function inferEquality(outputs: readonly Json[], evaluated: readonly Json[] = outputs): Equality {
  const all = readPlaces(outputs)
  const shown = evaluated === outputs ? all : readPlaces(evaluated)
  const { rules } = equalityOf([...collect(all, numberRules), ...collect(shown, textRules)])
  return equalityOf(rules.slice(0, MAX_RULES))
}
