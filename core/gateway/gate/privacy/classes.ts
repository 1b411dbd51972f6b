/**
 * Classes of sensitive text, the one vocabulary of the service. Where two finds overlap, the class that stands first
 * wins.
 */
export const SENSITIVE_CLASSES = [
  'forgotten',
  'private_key',
  'api_key',
  'bearer_token',
  'database_url',
  'ssn',
  'malformed_ssn',
  'email',
  'payment_card',
  'malformed_payment_card',
  'mrn',
  'account_number',
  'customer_id',
  'dob',
  'phone',
  'internal_hostname',
  'address',
  'name',
  'proprietary_term',
  'ip_address',
] as const
/** One of them. */
export type SensitiveClass = (typeof SENSITIVE_CLASSES)[number]

/** Policies for sensitive text in calls of models, from the laxest to the strictest. */
export const PRIVACY_POLICIES = ['allow', 'redact', 'review_required', 'block'] as const
/** One of them. */
export type PrivacyPolicy = (typeof PRIVACY_POLICIES)[number]

/** Actions for one class, where they differ from those of the policy. */
export const CLASS_ACTIONS = ['allow', 'redact', 'block'] as const
/** One of them. */
export type ClassAction = (typeof CLASS_ACTIONS)[number]
