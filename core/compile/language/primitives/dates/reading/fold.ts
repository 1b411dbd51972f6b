/** Marks of direction, which are left out. */
const DIRECTION = /[\u200e\u200f\u061c\u200b-\u200d\u2060\ufeff]/gu
const MARKS = /[\u0300-\u036f]/gu
const DASHES = /[\u2010-\u2015\u2212\u301c]/gu
const APOSTROPHES = /[\u2018\u2019\u02bc\u05f3]/gu
const QUOTES = /[\u201c\u201d\u05f4]/gu
const SPACES = /[\s\u00a0]/gu
const COMMAS = /[\u060c\u3001]/gu
/** Zeros of the decimal digits of other scripts; nine digits follow each. */
export const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50] as const
const NATIVE_DIGITS = new RegExp(
  `[${ZEROS.map((zero) => `\\u{${zero.toString(16)}}-\\u{${(zero + 9).toString(16)}}`).join('')}]`,
  'gu',
)
const ASCII = /^[ -~]*$/

function digitOf(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const zero = ZEROS.find((start) => code >= start && code <= start + 9) ?? code
  return String(code - zero)
}

/**
 * Returns a text in the form in which dates are read: lower case, without accents, with the digits of ASCII and one
 * kind of space, dash, apostrophe and comma.
 */
export function foldDateText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(MARKS, '')
    .replaceAll('ı', 'i')
    .replace(DIRECTION, '')
    .replace(NATIVE_DIGITS, digitOf)
    .replace(DASHES, '-')
    .replace(APOSTROPHES, "'")
    .replace(QUOTES, '"')
    .replace(COMMAS, ',')
    .replace(SPACES, ' ')
}
