import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { SENSITIVE_CLASSES, type SensitiveClass } from '../../gate/privacy/classes.ts'
import { isCardNumber } from '../../gate/privacy/scan/cards.ts'
import { markOf } from './marks.ts'
import { redactText } from './redact-text.ts'

/** A redacted value, and the kinds of sensitive text that it held, sorted. */
export interface Redacted<T extends Json = Json> {
  readonly value: T
  readonly classes: readonly SensitiveClass[]
}

/** Names of members that hold secrets, with their words joined by `_`. */
const SECRET_NAME =
  /(?:^|_)(?:password|passwd|passphrase|secret|authorization|cookie|credentials?|(?:api|private|access|secret|signing)_?key|(?:access|refresh|id|auth|session|bearer|security)_?token|cvv|cvc|ssn)$/

const MARKS: ReadonlySet<string> = new Set(SENSITIVE_CLASSES.map(markOf))

/**
 * Replaces sensitive texts in every string and member name of a value by their class in brackets, and likewise card
 * numbers, and everything below a member whose name marks a secret (as an `api_key`). Objects stay objects, lists stay lists, strings stay
 * strings.
 */
export function redact<T extends Json>(value: T): Redacted<T> {
  const classes = new Set<SensitiveClass>()
  const redacted = walk(value, classes, false)
  return { value: redacted as T, classes: [...classes].toSorted() }
}

function walk(value: Json, classes: Set<SensitiveClass>, isSecret: boolean): Json {
  if (typeof value === 'string' || typeof value === 'number') return redactScalar(value, classes, isSecret)
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        redactText(name, classes),
        walk(member, classes, isSecret || isSecretName(name)),
      ]),
    )
  }
  return Array.isArray(value) ? value.map((item: Json) => walk(item, classes, isSecret)) : value
}

function redactScalar(value: string | number, classes: Set<SensitiveClass>, isSecret: boolean): Json {
  if (isSecret && value !== '' && !MARKS.has(String(value))) {
    classes.add('api_key')
    return markOf('api_key')
  }
  if (typeof value === 'string') return redactText(value, classes)
  if (!isCardNumber(String(value))) return value
  classes.add('payment_card')
  return markOf('payment_card')
}

/** `apiKey`, `api-key`, `X-API-Key` and `API_KEY` are one name. */
function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/[^A-Za-z0-9]+/g, '_')
  return SECRET_NAME.test(words.toLowerCase())
}
