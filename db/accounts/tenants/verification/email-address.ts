import { readAddress } from '../../../../core/accounts/address.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'

/** An address that somebody typed, as it is kept and compared, see `readAddress`. Throws `validation_failed`. */
export function normalizeEmail(text: string): string {
  const email = readAddress(text.trim())
  if (email === null) throw invalidField('email', 'must be an e-mail address')
  return email
}
