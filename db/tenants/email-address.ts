import { invalidField } from '../../core/errors.ts'

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]+\.[^\s@\p{Cc}.]+$/u
const MOST_CHARS = 254

/** An address as it is kept and compared. Throws `validation_failed` for a text that is none. */
export function normalizeEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length <= MOST_CHARS && EMAIL.test(email)) return email
  throw invalidField('email', 'must be an e-mail address')
}
