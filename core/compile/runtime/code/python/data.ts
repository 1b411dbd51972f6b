import { classBits, digitValue } from '../../../language/primitives/text/char-classes.ts'
import { DATE_NAMES } from '../../../language/primitives/dates/reading/date-names.ts'
import { type Unit, UNITS, type UnitName } from '../../../language/primitives/numbers/units.ts'
import type { Uses } from '../writing/uses.ts'
import { pyLiteral, pyString } from './strings.ts'

/** Letters with a case partner that Unicode added after version 14, which Python 3.11 has. */
const NEW_LOWER = '19b 264 1c8a a7cd a7cf a7d3 a7d5 a7db 10d70-10d85 16ebb-16ed3'
const NEW_UPPER = '1c89 a7cb a7cc a7ce a7d2 a7d4 a7da a7dc 10d50-10d65 16ea0-16eb8'
/** Marks of category Mn that Unicode added after version 14. */
const NEW_MARKS =
  '897 ece 1acf-1add 1ae0-1aeb 10d69-10d6d 10efa-10eff 11241 113bb-113c0 113ce 113d0 113d2 113e1 113e2 1171e 11b60 11b62-11b64 ' +
  '11b66 11f00 11f01 11f36-11f3a 11f40 11f42 11f5a 13440 13447-13455 1611e-16129 1612d-1612f 1e08f 1e4ec-1e4ef 1e5ee 1e5ef ' +
  '1e6e3 1e6e6 1e6ee 1e6ef 1e6f5'

function charsOf(ranges: string): string[] {
  return ranges.split(' ').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map((hex) => Number.parseInt(hex, 16))
    return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at))
  })
}

const hex = (codePoint: number) => `0x${codePoint.toString(16).toUpperCase()}`

/** A table of letters, with runs of them as ranges. */
function translation(from: string, change: (char: string) => string): string {
  const lines = from.split(' ').map((range) => {
    const chars = charsOf(range)
    const [first = 0, last = 0] = [chars[0], chars.at(-1)].map((char) => char?.codePointAt(0) ?? 0)
    const target = change(String.fromCodePoint(first)).codePointAt(0) ?? 0
    if (first === last) return `    ${hex(first)}: ${hex(target)},\n`
    const ends = [first, last + 1, target, target + last - first + 1].map(hex)
    return `    **dict(zip(range(${ends[0]}, ${ends[1]}), range(${ends[2]}, ${ends[3]}))),\n`
  })
  return `{\n${lines.join('')}}`
}

function ranges(of: string): string {
  const parts = of.split(' ').map((range) => {
    const [first = '', last = first] = range.split('-')
    return `range(0x${first}, 0x${last} + 1)`
  })
  return `frozenset(\n    chr(code)\n    for codes in (${parts.join(', ')})\n    for code in codes\n)`
}

function digitTable(): string {
  const zeros: string[] = []
  for (let unit = 128; unit < 0x10000; unit++)
    if (classBits(unit) !== 0 && digitValue(unit) === 0) zeros.push(`0x${unit.toString(16)}`)
  return `{\n    zero + digit: str(digit)\n    for zero in (${zeros.join(', ')})\n    for digit in range(10)\n} | {0x66A: "%", 0x66B: ".", 0x66C: ",", 0xFF0C: ",", 0xFF0E: "."}`
}

/** Constants that helpers name, beside those of classes. */
export const DATA_CONSTANTS: Readonly<Record<string, () => string>> = {
  _NEW_UPPER: () => translation(NEW_LOWER, (char) => char.toUpperCase()),
  _NEW_LOWER: () => translation(NEW_UPPER, (char) => char.toLowerCase()),
  _NEW_MARKS: () => ranges(NEW_MARKS),
  _ASCII_DIGITS: digitTable,
}

/** Notes the units of one kind as the table that quantities are read by. */
export function unitsConstant(to: UnitName, uses: Uses): void {
  for (const [name, unit] of Object.entries<Unit>(UNITS)) {
    if (unit.kind !== UNITS[to].kind) continue
    const { kind, symbols, factor, offset = '0' } = unit
    uses.entry('_UNITS', pyString(name), `(${pyString(kind)}, ${pyLiteral(symbols)}, "${factor}", "${offset}")`)
  }
}

/** Notes the names of months, weekdays and halves of the day in some locales; in all of them without any. */
export function dateNamesConstant(locales: readonly string[] | undefined, uses: Uses): void {
  for (const [locale, names] of Object.entries(DATE_NAMES)) {
    if (locales !== undefined && locales.length > 0 && !locales.includes(locale)) continue
    uses.entry('_DATE_NAMES', pyString(locale), pyLiteral({ ...names }))
  }
}
