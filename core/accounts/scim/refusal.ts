import SCIMMY from 'scimmy'
import { KERNEL_ERRORS, type DefinedError, type DomainError } from '../../kernel/errors.ts'
import { ACCOUNTS_ERRORS } from '../errors.ts'

/** Names of RFC 7644, 3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'invalidValue'

/** An error that SCIM has a name for. */
export function refuseScim(error: DefinedError, scimType: ScimType, message: string): DomainError {
  return error(message, { details: { scim_type: scimType } })
}

const CODES: Readonly<Partial<Record<number, DefinedError>>> = {
  400: ACCOUNTS_ERRORS.invalid_value,
  403: ACCOUNTS_ERRORS.forbidden,
  404: KERNEL_ERRORS.not_found,
  409: ACCOUNTS_ERRORS.duplicate,
  413: KERNEL_ERRORS.payload_too_large,
}

/** Converts an error of the library into a `DomainError`; null for any other error. */
export function explainScim(error: unknown): DomainError | null {
  if (error instanceof TypeError) return refuseScim(ACCOUNTS_ERRORS.invalid_value, 'invalidValue', error.message)
  if (!(error instanceof SCIMMY.Types.Error)) return null
  const { status, scimType, message } = Object.assign({ status: 0, scimType: undefined }, error, {
    message: error.message,
  })
  const refused = CODES[Number(status)]
  if (refused === undefined) return null
  return refused(message, {
    ...(typeof scimType === 'string' && { details: { scim_type: scimType } }),
    cause: error,
  })
}
