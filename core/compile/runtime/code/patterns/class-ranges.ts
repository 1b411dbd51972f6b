import type { CharSet, ClassName } from '../../../language/names.ts'
import { compileCharSet, inCharSet, isCurrencySign } from '../../../language/primitives/text/char-classes.ts'

/** Writes a code point for a class of a regular expression, in Python and in JavaScript with the flag `u`. */
export function classChar(codePoint: number, target: 'python' | 'typescript'): string {
  const char = String.fromCodePoint(codePoint)
  if (/[0-9A-Za-z_ ,:;'!%<>=@]/.test(char)) return char
  if (codePoint === 9) return '\\t'
  if (codePoint === 10) return '\\n'
  if (codePoint === 13) return '\\r'
  if (codePoint < 32 || codePoint === 127) return `\\x${codePoint.toString(16).padStart(2, '0')}`
  // These end a text in the code.
  if (char === '"' || char === '`') return `\\x${codePoint.toString(16)}`
  if (codePoint < 127) return target === 'typescript' && '#~&'.includes(char) ? char : `\\${char}`
  if (codePoint < 256) return `\\x${codePoint.toString(16)}`
  if (codePoint < 0x10000) return `\\u${codePoint.toString(16).padStart(4, '0')}`
  return target === 'python' ? `\\U${codePoint.toString(16).padStart(8, '0')}` : `\\u{${codePoint.toString(16)}}`
}

/** Runs of code points as the inside of a class. */
export function classOfRanges(ranges: readonly number[], target: 'python' | 'typescript'): string {
  let out = ''
  for (let at = 0; at < ranges.length; at += 2) {
    const [first = 0, last = 0] = [ranges[at], ranges[at + 1]]
    out += classChar(first, target)
    if (last > first + 1) out += '-'
    if (last > first) out += classChar(last, target)
  }
  return out
}

function rangesWhere(holds: (unit: number) => boolean): readonly number[] {
  const ranges: number[] = []
  for (let unit = 0; unit < 0x10000; unit++) {
    if (!holds(unit)) continue
    if (ranges.at(-1) === unit - 1) ranges[ranges.length - 1] = unit
    else ranges.push(unit, unit)
  }
  return ranges
}

const known = new Map<string, readonly number[]>()

/** The members of named classes, in the version of Unicode that the language names. */
export function rangesOfClasses(classes: readonly ClassName[]): readonly number[] {
  const key = classes.join(' ')
  const before = known.get(key)
  if (before !== undefined) return before
  const set = compileCharSet({ classes })
  const ranges = rangesWhere((unit) => inCharSet(set, unit))
  known.set(key, ranges)
  return ranges
}

let currency: readonly number[] | undefined

/** The signs of currencies. */
export function currencyRanges(): readonly number[] {
  currency ??= rangesWhere(isCurrencySign)
  return currency
}

/** The code points that a set lists one by one. */
export function listedChars({ chars = '' }: CharSet): readonly number[] {
  const points = [...new Set(Array.from(chars, (char) => char.codePointAt(0) ?? 0))].toSorted((a, b) => a - b)
  return points.flatMap((point) => [point, point])
}
