/** Spaces of several kinds, dots and dashes, by which people group digits. */
const SEPARATOR = '[ .\\u00A0\\u2007\\u2009\\u202F\\u2013-]'
const DIGIT_GROUPS = new RegExp(`(?<![\\w])\\d(?:${SEPARATOR}?\\d){12,}(?![\\w])`, 'g')
const DIGIT_0 = 0x30
const LETTER_A = 0x61
const IBAN_WORDS = /\b[a-z]{2}\d{2}[0-9a-z]*(?: [0-9a-z]+)*/gi

/**
 * Replaces card numbers. Any run of whole groups of digits may be one: a date or a security code before or after it looks
 * like more of it.
 */
export function replaceCards(text: string, mark: () => string): string {
  return text.replace(DIGIT_GROUPS, (run) =>
    replaceRuns(run, new RegExp(SEPARATOR), { longest: 19, isIt: isCardNumber, mark }),
  )
}

/** Replaces account numbers (IBAN). A word after one, such as a currency's name, can look like part of it. */
export function replaceIbans(text: string, mark: () => string): string {
  return text.replace(IBAN_WORDS, (run) => replaceRuns(run, / /, { longest: 34, isIt: isIban, mark }))
}

/** Replaces the longest matching runs of whole groups, from the left. Linear in the text. */
function replaceRuns(
  text: string,
  separator: RegExp,
  search: { readonly longest: number; readonly isIt: (text: string) => boolean; readonly mark: () => string },
): string {
  // Groups at even places, separators at odd ones.
  const parts = text.split(new RegExp(`(${separator.source})`))
  const kept: string[] = []
  for (let start = 0; start < parts.length;) {
    const end = start % 2 === 0 ? endOfRun(parts, start, search) : null
    if (end === null) kept.push(parts[start] ?? '')
    else kept.push(search.mark())
    start = end ?? start + 1
  }
  return kept.join('')
}

/** Returns the end of the longest matching run that starts there; null without one. */
function endOfRun(
  parts: readonly string[],
  start: number,
  { longest, isIt }: { readonly longest: number; readonly isIt: (text: string) => boolean },
): number | null {
  let joined = ''
  let end: number | null = null
  for (let at = start; at < parts.length; at += 2) {
    joined += parts[at] ?? ''
    if (joined.length > longest) break
    if (isIt(joined)) end = at + 1
  }
  return end
}

/** Digits of a payment card: ISO/IEC 7812-1, annex B (Luhn), of an industry that issues them. */
export function isCardNumber(digits: string): boolean {
  if (!/^[2-6]\d{12,18}$/.test(digits)) return false
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    const weighed = place % 2 === 1 ? digit * 2 : digit
    sum += weighed > 9 ? weighed - 9 : weighed
  }
  return sum % 10 === 0
}

/** ISO 13616: the remainder modulo 97 is 1. */
function isIban(text: string): boolean {
  if (!/^[a-z]{2}\d{2}[0-9a-z]{11,30}$/i.test(text)) return false
  const turned = text.toLowerCase().slice(4) + text.toLowerCase().slice(0, 4)
  let remainder = 0
  for (let place = 0; place < turned.length; place++) {
    const code = turned.charCodeAt(place)
    // Digits keep their value; letters count 10 to 35.
    remainder = code < LETTER_A ? remainder * 10 + code - DIGIT_0 : remainder * 100 + code - LETTER_A + 10
    remainder %= 97
  }
  return remainder === 1
}

/** Enough digits for a number that can be called, and no date. */
export function isPhone(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length
  return digits >= 9 && digits <= 15 && !/^\d{4}[-.]\d{2}[-.]\d{2}/.test(text)
}
