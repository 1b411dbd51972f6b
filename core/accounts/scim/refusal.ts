import SCIMMY from 'scimmy'
import { DomainError, type ErrorCode } from '../../kernel/errors.ts'

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
export function refuseScim(code: ErrorCode, scimType: ScimType, message: string): DomainError {
  return new DomainError(code, message, { details: { scim_type: scimType } })
}

const CODES: Readonly<Partial<Record<number, ErrorCode>>> = {
  400: 'invalid_value',
  403: 'forbidden',
  404: 'not_found',
  409: 'duplicate',
  413: 'payload_too_large',
}

/** Our form of an error of the library; null for what is none of its own. */
export function explainScim(error: unknown): DomainError | null {
  if (error instanceof TypeError) return refuseScim('invalid_value', 'invalidValue', error.message)
  if (!(error instanceof SCIMMY.Types.Error)) return null
  const { status, scimType, message } = Object.assign({ status: 0, scimType: undefined }, error, {
    message: error.message,
  })
  const code = CODES[Number(status)]
  if (code === undefined) return null
  return new DomainError(code, message, {
    ...(typeof scimType === 'string' && { details: { scim_type: scimType } }),
    cause: error,
  })
}
