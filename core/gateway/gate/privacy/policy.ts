import { invalidField } from '../../../kernel/errors.ts'
import { PRIVACY_POLICIES, type PrivacyPolicy } from './classes.ts'

/** Names of the headers by which a call asks for a policy. */
export const POLICY_HEADER = 'x-svc-privacy-policy'
export const OVERRIDE_HEADER = 'x-svc-privacy-override'
export const RAW_HEADER = 'x-svc-raw'

/** The wishes of a call by its headers; null where it states none. */
export interface AskedPolicy {
  readonly policy: PrivacyPolicy | null
  /** Wishes that a refused call be sent redacted. */
  readonly overrides: boolean
  /** Wishes that its record hold the texts as they were. */
  readonly raw: boolean
}

/** Reads the headers. Throws `validation_failed` for another word: a misspelled wish for privacy must not be dropped. */
export function readAskedPolicy(headerOf: (name: string) => string | undefined): AskedPolicy {
  const asked = headerOf(POLICY_HEADER)?.trim().toLowerCase()
  const policy = PRIVACY_POLICIES.find((one) => one === asked)
  if (asked !== undefined && policy === undefined)
    throw invalidField(POLICY_HEADER, `must be one of ${PRIVACY_POLICIES.join(', ')}`)
  return { policy: policy ?? null, overrides: isYes(headerOf, OVERRIDE_HEADER), raw: isYes(headerOf, RAW_HEADER) }
}

const YES: ReadonlySet<string> = new Set(['true', '1', 'yes'])
const NO: ReadonlySet<string> = new Set(['false', '0', 'no'])

function isYes(headerOf: (name: string) => string | undefined, name: string): boolean {
  const said = headerOf(name)?.trim().toLowerCase()
  if (said === undefined || NO.has(said)) return false
  if (YES.has(said)) return true
  throw invalidField(name, 'must be true or false')
}

/** True when one policy protects less than another. */
export function isLaxer(one: PrivacyPolicy, other: PrivacyPolicy): boolean {
  return PRIVACY_POLICIES.indexOf(one) < PRIVACY_POLICIES.indexOf(other)
}
