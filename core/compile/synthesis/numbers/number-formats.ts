import type { Expr } from '../../language/ast.ts'
import type { GroupWidths } from '../../language/names.ts'
import type { NumberWriting } from '../../language/primitives/numbers/number-text.ts'
import { Cost, type FeatureName } from '../ranking/cost.ts'

/** Number format of an output. */
export interface NumberShape {
  readonly find: RegExp
  readonly group: string
  readonly decimal: string
  readonly groups?: GroupWidths
  /** Tried where some output shows it. */
  readonly shows?: RegExp
}

/** Numbers with a mark between thousands. */
function grouped(group: string, decimal: string): NumberShape {
  const digits = `\\d{1,3}(?:${group}\\d{3})`
  return {
    find: new RegExp(`-?${digits}+(?:[${decimal}]\\d+)?(?!\\d)|-?\\d+(?:[${decimal}]\\d+)?`, 'y'),
    group,
    decimal,
    shows: new RegExp(`(?<!\\d)${digits}+(?!\\d)`),
  }
}

const INDIAN = String.raw`\d{1,2}(?:,\d\d)*,\d{3}`
const SHAPES: readonly NumberShape[] = [
  { find: /-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|-?\d+(?:\.\d+)?/y, group: ',', decimal: '.' },
  { find: /-?\d+(?:\.\d+)?/y, group: '', decimal: '.' },
  { find: /-?\d+/y, group: '', decimal: '.' },
  { find: /-?\d{1,3}(?:\.\d{3})*(?:,\d+)?(?!\d)/y, group: '.', decimal: ',' },
  { find: /[+-]\d+(?:\.\d+)?|0(?:\.0+)?(?![\d.])/y, group: '', decimal: '.' },
  ...[' ', '\u00a0', '\u202f'].flatMap((space) => [grouped(space, '.'), grouped(space, ',')]),
  grouped("'", '.'),
  grouped('\u2019', '.'),
  {
    find: new RegExp(`-?${INDIAN}(?:\\.\\d+)?(?!\\d)|-?\\d+(?:\\.\\d+)?`, 'y'),
    group: ',',
    decimal: '.',
    groups: 'indian',
    shows: /\d,\d\d,\d{3}(?!\d)/,
  },
]
const MAX_SIGNIFICANT = 6

export interface Format {
  readonly writing: NumberWriting
  readonly cost: Cost
  readonly expr: (value: Expr) => Expr
}

const GROUPS = SHAPES.flatMap(({ group, shows }) => (shows === undefined ? [] : [{ group, shows }]))

/** The mark between thousands that some output shows and none lacks; empty when there is no such mark. */
function groupingOf(outputs: readonly string[]): string {
  const isShown = (shows: RegExp) => outputs.some((output) => shows.test(output))
  const found = isShown(/(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)/) ? ',' : GROUPS.find(({ shows }) => isShown(shows))?.group
  return found === undefined || outputs.some((output) => /\d{4}/.test(output)) ? '' : found
}

/** The width to which some of several numbers in the outputs are padded with zeros; 1 when none is. */
function paddingOf(outputs: readonly string[]): number {
  const padded = outputs.flatMap((output) => {
    const runs = output.match(/(?<![.\d])\d+/g) ?? []
    return runs.length < 2 ? [] : runs.slice(1).filter((run) => run.length > 1 && run.startsWith('0'))
  })
  const width = padded[0]?.length ?? 1
  return padded.every((run) => run.length === width) ? width : 1
}

/** Number formats of the outputs, as far as they show. */
export interface Habits {
  readonly grouping: string
  readonly padding: number
}

/** Returns what the outputs show of the format of all of their numbers. */
export function habitsOf(outputs: readonly string[]): Habits {
  return { grouping: groupingOf(outputs), padding: paddingOf(outputs) }
}

/** Returns the shapes that numbers in the outputs may have. */
export function shapesOf(outputs: readonly string[]): readonly NumberShape[] {
  return SHAPES.filter(({ shows }) => shows === undefined || outputs.some((output) => shows.test(output)))
}

/** The ways to write numbers that all these texts fit; rounded ones where every text has as many decimals. */
export function formatsOf(
  texts: readonly string[],
  { group, decimal, groups }: NumberShape,
  { grouping, padding }: Habits,
): Format[] {
  const unsigned = texts.map((text) => text.replace(/^[+-]/, ''))
  const isSigned = texts.some((text) => text.startsWith('+'))
  const fractions = unsigned.map((text) => text.split(decimal)[1] ?? '')
  const integers = unsigned.map((text) => text.split(decimal)[0] ?? '')
  const widths = new Set(fractions.map((fraction) => fraction.length))
  const most = Math.max(...widths)
  const isEvident = group !== '' && integers.some((text) => text.includes(group))
  const isGrouped = isEvident || (group !== '' && group === grouping)
  if (group !== '' && !isGrouped && decimal === '.') return []
  const narrowest = Math.min(...integers.map((text) => text.length))
  const isPadded = narrowest > 1 && integers.some((text) => text.startsWith('0'))
  // Numbers that all fill the width to which the others are padded are padded alike.
  const isPaddedAlike = padding > 1 && integers.every((text) => text.length === padding)
  const minDigits = isPadded ? narrowest : isPaddedAlike ? padding : 1
  const options = {
    ...(decimal === '.' ? {} : { decimal }),
    ...(isGrouped ? { group, ...(groups === undefined ? {} : { groups }) } : {}),
    ...(minDigits > 1 ? { minDigits } : {}),
    ...(isSigned ? { sign: 'always' as const } : {}),
  }
  const writing = (minDecimals: number, maxDecimals: number | undefined): NumberWriting => ({
    minDecimals,
    maxDecimals,
    mode: 'halfUp',
    decimal,
    group: isGrouped ? group : '',
    ...(groups === undefined ? {} : { groups }),
    minDigits,
    sign: isSigned ? 'always' : 'negative',
  })
  // Where other rows show the grouping of thousands, numbers too small to show it use the same format.
  const base = Cost.NONE.when(isEvident, 'writeNumber.grouped')
    .when(!isEvident && group !== grouping, 'writeNumber.otherGrouping')
    .when(isPadded, 'writeNumber.padded')
    .when(decimal !== '.', 'writeNumber.decimalMark')
  const formats: Format[] = []
  const add = (decimals: Pick<NumberWriting, 'minDecimals' | 'maxDecimals' | 'digits'>, feature: FeatureName) =>
    formats.push({
      writing: { ...writing(decimals.minDecimals, decimals.maxDecimals), ...decimals },
      cost: base.with(feature),
      expr: (value) => ({
        op: 'formatNumber',
        value,
        ...(decimals.minDecimals === 0 ? {} : { minDecimals: decimals.minDecimals }),
        ...(decimals.maxDecimals === undefined ? {} : { maxDecimals: decimals.maxDecimals }),
        ...options,
        ...(decimals.digits === undefined ? {} : { digits: decimals.digits }),
      }),
    })
  if (widths.size === 1 && most > 0) add({ minDecimals: most, maxDecimals: most }, 'writeNumber.fixed')
  else add({ minDecimals: 0, maxDecimals: undefined }, 'writeNumber')
  if (most === 0) add({ minDecimals: 0, maxDecimals: 0 }, 'writeNumber.whole')
  else if (widths.size > 1) {
    const least = Math.min(...widths)
    add({ minDecimals: 0, maxDecimals: most }, 'writeNumber.atMost')
    if (least > 0) {
      add({ minDecimals: least, maxDecimals: undefined }, 'writeNumber.atLeast')
      add({ minDecimals: least, maxDecimals: most }, 'writeNumber.between')
    }
  }
  const digits = significantDigits(integers, fractions)
  if (digits !== undefined && (widths.size > 1 || most === 0))
    add({ minDecimals: 0, maxDecimals: undefined, digits }, 'writeNumber.digits')
  return formats
}

/** The one number of significant digits that all texts can have; the zeros at the end of a whole number may be some. */
function significantDigits(integers: readonly string[], fractions: readonly string[]): number | undefined {
  const written = integers.map((integer, row) => (integer + (fractions[row] ?? '')).replace(/\D|^0+/g, ''))
  const most = written.map((digits) => digits.length)
  const least = written.map((digits, row) => (fractions[row] === '' ? digits.replace(/0+$/, '') : digits).length)
  const digits = Math.max(...least)
  const isRounded = written.some((text, row) => fractions[row] !== '' || text.endsWith('0'))
  return digits >= 1 && digits <= MAX_SIGNIFICANT && isRounded && most.every((length) => length >= digits)
    ? digits
    : undefined
}

export function readTarget(texts: readonly string[], { group, decimal }: NumberShape): number[] {
  return texts.map((text) => {
    const plain = group === '' ? text : text.replaceAll(group, '')
    return Number(decimal === '.' ? plain : plain.replace(decimal, '.'))
  })
}

/** Returns true when the digits at a place are the decimals of the number before it. */
export function isFraction(output: string, start: number): boolean {
  return (
    output.charAt(start - 1) === '.' &&
    /(?:^|[^\d.])\d+\.$/.test(output.slice(0, start)) &&
    /^\d+(?![\d.])/.test(output.slice(start))
  )
}
