import type { DomainError } from '../../../kernel/errors.ts'
import { ACCOUNTS_ERRORS } from '../../errors.ts'

/** Reasons for refusing an identity provider's response, as shown to callers and operators. */
export type SamlRefusal =
  | 'malformed_response'
  | 'status_not_success'
  | 'destination_mismatch'
  | 'issuer_mismatch'
  | 'unsolicited_response'
  | 'request_unknown'
  | 'signature_verification_failed'
  | 'weak_algorithm'
  | 'encrypted_assertion'
  | 'missing_conditions'
  | 'assertion_not_yet_valid'
  | 'assertion_expired'
  | 'audience_mismatch'
  | 'missing_subject_confirmation'
  | 'subject_confirmation_expired'
  | 'recipient_mismatch'
  | 'no_nameid'
  | 'transient_nameid'
  | 'no_email'
  | 'assertion_replayed'

/** Returns the error of a refused response: `saml_response_refused` with its reason and no content of the response. */
export function refuseSaml(reason: SamlRefusal, message: string, cause?: unknown): DomainError {
  return ACCOUNTS_ERRORS.saml_response_refused(message, { details: { reason }, cause })
}
