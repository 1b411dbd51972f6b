const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const SCALES = ['', ' thousand', ' million', ' billion', ' trillion']

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
]

/** Returns `1st`, `12th`, `-3rd`; undefined for a number that is not a safe integer. */
export function ordinalText(value: number): string | undefined {
  if (!Number.isSafeInteger(value)) return undefined
  const last = Math.abs(value) % 100
  const suffix = last >= 11 && last <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][last % 10] ?? 'th')
  return `${value}${suffix}`
}

/** Roman numerals of the integers from 1 to 3999; undefined for others. */
export function romanText(value: number): string | undefined {
  if (!Number.isInteger(value) || value < 1 || value > 3999) return undefined
  let rest = value
  let out = ''
  for (const [worth, letters] of ROMAN) {
    while (rest >= worth) {
      out += letters
      rest -= worth
    }
  }
  return out
}

/** Reads roman numerals of either case, in their one correct form only. */
export function parseRomanText(text: string): number | undefined {
  const upper = text.toUpperCase()
  let value = 0
  let at = 0
  for (const [worth, letters] of ROMAN) {
    while (upper.startsWith(letters, at)) {
      value += worth
      at += letters.length
    }
    if (value > 3999) return undefined
  }
  return at === upper.length && romanText(value) === upper ? value : undefined
}

function wordsBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100)
  const rest = value % 100
  const small =
    rest < 20
      ? (ONES[rest] ?? '')
      : (TENS[Math.floor(rest / 10)] ?? '') + (rest % 10 === 0 ? '' : `-${ONES[rest % 10]}`)
  if (hundreds === 0) return small
  return `${ONES[hundreds]} hundred${rest === 0 ? '' : ` ${small}`}`
}

/** English words of an integer below 10^15 either way: `minus one thousand two hundred thirty-four`. */
export function numberWordsText(value: number): string | undefined {
  if (!Number.isInteger(value) || Math.abs(value) >= 1e15) return undefined
  if (value === 0) return 'zero'
  const parts: string[] = []
  let rest = Math.abs(value)
  for (const scale of SCALES) {
    const below = rest % 1000
    if (below > 0) parts.unshift(wordsBelowThousand(below) + scale)
    rest = Math.floor(rest / 1000)
  }
  return (value < 0 ? 'minus ' : '') + parts.join(' ')
}

/** A safe integer in another base, lower-case; undefined for other numbers. */
export function radixText(value: number, radix: number): string | undefined {
  return Number.isSafeInteger(value) ? value.toString(radix) : undefined
}

/** Reads an integer in another base, either case, with an optional sign; undefined for other texts. */
export function parseRadixText(text: string, radix: number): number | undefined {
  const digits = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text
  if (digits === '' || digits.length > 64) return undefined
  let value = 0
  for (let at = 0; at < digits.length; at++) {
    const unit = digits.charCodeAt(at) | 32
    const digit = unit >= 97 && unit <= 122 ? unit - 87 : digits.charCodeAt(at) - 48
    if (digit < 0 || digit >= radix || (digit > 9 && unit < 97)) return undefined
    value = value * radix + digit
  }
  if (!Number.isSafeInteger(value)) return undefined
  return value !== 0 && text.startsWith('-') ? -value : value
}
