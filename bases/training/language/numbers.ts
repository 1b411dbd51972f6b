import { words } from '../words/split.ts'

const ONES = words(`
  zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen`)
const TENS = words('- - twenty thirty forty fifty sixty seventy eighty ninety')
const IRREGULAR_ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

/** Spoken form of a number: British "and" before the last part, and a hyphen or a space in "forty-two". */
export interface Spoken {
  readonly and: boolean
  readonly hyphen: boolean
}

const PLAIN: Spoken = { and: false, hyphen: true }

/** A whole number from 0 to 999,999,999 in English words. */
export function cardinal(value: number, how: Spoken = PLAIN): string {
  if (value < 20) return ONES[value] ?? ''
  if (value < 100) {
    const tens = TENS[Math.floor(value / 10)] ?? ''
    return value % 10 === 0 ? tens : `${tens}${how.hyphen ? '-' : ' '}${ONES[value % 10]}`
  }
  for (const [size, name] of [
    [1_000_000, 'million'],
    [1000, 'thousand'],
    [100, 'hundred'],
  ] as const) {
    if (value < size) continue
    const rest = value % size
    const head = `${cardinal(Math.floor(value / size), how)} ${name}`
    if (rest === 0) return head
    const joint = how.and && (size === 100 || rest < 100) ? ' and ' : ' '
    return `${head}${joint}${cardinal(rest, how)}`
  }
  return ''
}

/** A whole number as an ordinal in words: 21 is "twenty-first". */
export function ordinal(value: number, how: Spoken = PLAIN): string {
  const text = cardinal(value, how)
  const [last = ''] = /[a-z]+$/.exec(text) ?? []
  const changed = IRREGULAR_ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return text.slice(0, text.length - last.length) + changed
}

/** A whole number with its ordinal suffix: 21 is "21st". */
export function ordinalDigits(value: number): string {
  const teen = value % 100 >= 11 && value % 100 <= 13
  const suffix = teen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')
  return `${value}${suffix}`
}

/** A year as it is spoken: 1985 is "nineteen eighty-five", 2007 "two thousand seven". */
export function spokenYear(year: number, how: Spoken = PLAIN): string {
  const [high, low] = [Math.floor(year / 100), year % 100]
  if (low === 0) return year % 1000 === 0 ? cardinal(year, how) : `${cardinal(high, how)} hundred`
  if (low < 10) return year >= 2000 ? cardinal(year, how) : `${cardinal(high, how)} oh ${cardinal(low, how)}`
  return `${cardinal(high, how)} ${cardinal(low, how)}`
}

/** Digits spoken one by one, with the name that zero is given; a repeated digit may be spoken as "double". */
export function spokenDigits(digits: string, zero: string, double: boolean): string {
  const parts: string[] = []
  for (let i = 0; i < digits.length; i++) {
    const name = digits[i] === '0' ? zero : (ONES[Number(digits[i])] ?? '')
    if (double && digits[i] === digits[i + 1]) {
      parts.push(`double ${name}`)
      i++
    } else parts.push(name)
  }
  return parts.join(' ')
}

/** Digits with a comma between thousands. */
export const withCommas = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
