import { invalidField } from '../../core/errors.ts'

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]+\.[^\s@\p{Cc}.]+$/u
const MOST_CHARS = 254

/**
 * An address as it is kept and compared. Throws `validation_failed` for a text that is none, and for one with a letter
 * beyond ASCII whose lower case is within it (the Kelvin sign): two mailboxes would be one address here.
 */
export function normalizeEmail(text: string): string {
  const written = text.trim()
  const email = written.toLowerCase()
  const isFaithful = asciiOf(email).length === asciiOf(written).length
  if (isFaithful && email.length <= MOST_CHARS && EMAIL.test(email)) return email
  throw invalidField('email', 'must be an e-mail address')
}

function asciiOf(text: string): string {
  return text.replace(/\P{ASCII}/gu, '')
}
