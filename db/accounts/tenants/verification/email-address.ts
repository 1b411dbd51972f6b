import { readAddress } from '../../../../core/accounts/address.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'

/** Returns a typed address in its stored form, see `readAddress`. Throws `validation_failed`. */
export function normalizeEmail(text: string): string {
  const email = readAddress(text.trim())
  if (email === null) throw invalidField('email', 'must be an e-mail address')
  return email
}
