import { ScimErrorBody } from '../../../core/kernel/wire/errors.ts'
import type { ErrorShape } from '../../kernel/reply/error-shape.ts'

/** The name in RFC 7644 of each of our codes; a handler can choose another in `details.scim_type`. */
const SCIM_TYPES: Readonly<Partial<Record<string, string>>> = {
  duplicate: 'uniqueness',
  email_exists: 'uniqueness',
  validation_failed: 'invalidValue',
  invalid_value: 'invalidValue',
  invalid_json: 'invalidSyntax',
}

/** Errors of SCIM (RFC 7644, 3.12). */
export const SCIM_ERRORS: ErrorShape = {
  name: 'Scim',
  mediaType: 'application/scim+json',
  schema: ScimErrorBody,
  write({ status, envelope }) {
    const named = envelope.details?.['scim_type']
    const scimType = typeof named === 'string' ? named : SCIM_TYPES[envelope.code]
    return {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      detail: envelope.error,
      ...(scimType !== undefined && { scimType }),
    }
  },
}
