import { isJsonObject, type Json } from '../json.ts'

/** Kinds of sensitive text that are recognised. */
export const SENSITIVE_CLASSES = ['email', 'phone', 'card', 'iban', 'api_key', 'token'] as const
/** One of them. */
export type SensitiveClass = (typeof SENSITIVE_CLASSES)[number]

/** A value without its sensitive texts, and what kinds of them it had held, sorted. */
export interface Redacted<T extends Json = Json> {
  readonly value: T
  readonly classes: readonly SensitiveClass[]
}

interface Rule {
  readonly kind: SensitiveClass
  /** Bounded repetitions only, so that no text takes long. */
  readonly pattern: RegExp
  readonly isIt?: (text: string) => boolean
}

/** In order: what is long and certain first, so that a piece of it is not taken for something else. */
const RULES: readonly Rule[] = [
  { kind: 'token', pattern: /\beyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{8,1000}/g },
  { kind: 'api_key', pattern: /\b(?:ks|kao|scim)_[0-9a-z]{4,20}_[0-9A-Za-z]{16,64}\b/g },
  { kind: 'api_key', pattern: /\b(?:sk|rk|pk|ghp|gho|xoxb|whsec)[-_][\w-]{16,200}/g },
  { kind: 'api_key', pattern: /\bAKIA[0-9A-Z]{16}\b/g },
  { kind: 'email', pattern: /\b[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b/g },
  { kind: 'phone', pattern: /(?<!\w)\+\d{8,15}(?!\w)/g },
  { kind: 'iban', pattern: /\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,4})?\b/g, isIt: isIban },
  { kind: 'card', pattern: /\b\d(?:[ -]?\d){12,18}\b/g, isIt: isCardNumber },
  {
    kind: 'phone',
    pattern: /(?<![\w.])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,4}){2,4}(?![\w.])/g,
    isIt: isPhone,
  },
]

/** Replaces sensitive texts, in every text and every member name of a value, by their kind in brackets. */
export function redact<T extends Json>(value: T): Redacted<T> {
  const classes = new Set<SensitiveClass>()
  const redacted = walk(value, (text) => redactText(text, classes))
  // The shape stays: objects stay objects, texts stay texts.
  return { value: redacted as T, classes: [...classes].toSorted() }
}

/** How it stands in an envelope: `clean`, or what was taken out. */
export function redactionResult(classes: readonly string[]): string {
  return classes.length === 0 ? 'clean' : `redacted:${classes.join(',')}`
}

function redactText(text: string, classes: Set<SensitiveClass>): string {
  let result = text
  for (const { kind, pattern, isIt } of RULES) {
    result = result.replace(pattern, (found) => {
      if (isIt !== undefined && !isIt(found)) return found
      classes.add(kind)
      return `[${kind}]`
    })
  }
  return result
}

function walk(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), walk(member, change)]))
  }
  return Array.isArray(value) ? value.map((item: Json) => walk(item, change)) : value
}

/** ISO/IEC 7812-1, annex B (Luhn). */
function isCardNumber(text: string): boolean {
  const digits = Array.from(text.replaceAll(/\D/g, ''), Number).toReversed()
  if (digits.length < 13 || digits.length > 19) return false
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

/** ISO 13616: the remainder modulo 97 is 1. */
function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '')
  if (compact.length < 15 || compact.length > 34) return false
  const turned = compact.slice(4) + compact.slice(0, 4)
  let remainder = 0
  for (const character of turned) {
    for (const digit of String(Number.parseInt(character, 36))) remainder = (remainder * 10 + Number(digit)) % 97
  }
  return remainder === 1
}

/** Enough digits for a number that can be called, and no date. */
function isPhone(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length
  return digits >= 9 && digits <= 15 && !/^\d{4}[-.]\d{2}[-.]\d{2}/.test(text)
}
