/** ISO/IEC 7812-1, annex B (Luhn). */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 0x30
    const weighed = place % 2 === 1 ? digit * 2 : digit
    sum += weighed > 9 ? weighed - 9 : weighed
  }
  return sum % 10 === 0
}

/** Prefixes and lengths by which issuers number cards: Visa, Mastercard, Amex, Discover, Diners Club, JCB, UnionPay. */
const BRANDS: readonly (readonly [prefix: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65)/, [16, 17, 18, 19]],
  [/^(?:30[0-5]|36|38|39)/, [14]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^62/, [16, 17, 18, 19]],
]

/** True for the digits of a payment card. */
export function isCardNumber(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || /^(\d)\1+$/.test(digits)) return false
  return (
    BRANDS.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits)) && passesLuhn(digits)
  )
}

const DIGIT_0 = 0x30
const LETTER_A = 0x61

/** ISO 13616: the remainder modulo 97 is 1. */
export function isIban(text: string): boolean {
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
