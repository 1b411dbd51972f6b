import { readAddress } from '../../address.ts'
import { SAML } from './names.ts'
import { refuseSaml } from './refusal.ts'
import { attributeOf, childrenNamed, isNamed, parseXml, textOf, type XmlElement } from './xml.ts'

/** Values that an assertion must match. */
export interface ExpectedAssertion {
  readonly issuer: string
  readonly audience: string
  /** The address that the response was posted to. */
  readonly acsUrl: string
  /** The request that the response answers. */
  readonly inResponseTo: string
  /** Allowed difference between the two clocks. */
  readonly skewMs: number
  readonly now: Date
}

/** The identity that an identity provider asserts. */
export interface SamlClaims {
  readonly assertionId: string
  readonly nameId: string
  readonly sessionIndex: string | null
  /** Lower case; null when neither an attribute nor the name holds an address. */
  readonly email: string | null
  readonly displayName: string | null
  readonly groups: readonly string[]
  /** Until when the assertion must be remembered, so that it counts once. */
  readonly replayableUntil: Date
}

const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'urn:oid:1.2.840.113549.1.9.1',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
]
const NAME_ATTRIBUTES = [
  'displayname',
  'name',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
]
const GROUP_ATTRIBUTES = [
  'groups',
  'memberof',
  'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  'http://schemas.xmlsoap.org/claims/group',
]
/** Groups of one user that are looked at. */
const MAX_GROUPS = 1000
const MAX_NAME_CHARS = 200
/** Limit on ids of assertions and users, which are looked up. SAML core §8.3.7 allows persistent ones 256. */
const MAX_ID_CHARS = 512

/**
 * Reads an assertion from the verified bytes only. Throws `saml_response_refused` unless issuer, audience, validity
 * window, recipient and request are all present and match.
 */
export function readAssertion(verifiedXml: string, expected: ExpectedAssertion): SamlClaims {
  const assertion = parseXml(verifiedXml)
  const assertionId = attributeOf(assertion, 'ID')
  if (!isNamed(assertion, SAML.assertion, 'Assertion') || assertionId === undefined) {
    throw refuseSaml('malformed_response', 'the signed element is not an assertion')
  }
  if (assertionId.length > MAX_ID_CHARS) throw refuseSaml('malformed_response', 'the id of the assertion is too long')
  if (textOf(onlyChild(assertion, 'Issuer')) !== expected.issuer) {
    throw refuseSaml('issuer_mismatch', 'the assertion is from another identity provider')
  }
  const validUntil = checkConditions(assertion, expected)
  const subject = onlyChild(assertion, 'Subject')
  const confirmedUntil = checkSubject(subject, expected)
  checkSessionEnd(assertion, expected)
  const nameId = readNameId(subject)
  const [statement] = childrenNamed(assertion, SAML.assertion, 'AuthnStatement')
  const attributes = readAttributes(assertion)
  const until = Math.max(validUntil, confirmedUntil) + expected.skewMs
  return {
    assertionId,
    nameId,
    sessionIndex: (statement && attributeOf(statement, 'SessionIndex')) ?? null,
    email: emailOf(attributes, nameId),
    displayName: firstOf(attributes, NAME_ATTRIBUTES)?.slice(0, MAX_NAME_CHARS) ?? null,
    groups: GROUP_ATTRIBUTES.flatMap((attribute) => attributes.get(attribute) ?? []).slice(0, MAX_GROUPS),
    replayableUntil: new Date(until),
  }
}

/** Returns the provider's persistent name for the user. A transient name changes with every sign-in. */
function readNameId(subject: XmlElement | undefined): string {
  const name = subject === undefined ? undefined : onlyChild(subject, 'NameID')
  const nameId = textOf(name)
  if (name === undefined || nameId === '') throw refuseSaml('no_nameid', 'the assertion has no NameID')
  if (nameId.length > MAX_ID_CHARS) throw refuseSaml('malformed_response', 'the NameID is too long')
  if (attributeOf(name, 'Format') === SAML.transientFormat) {
    throw refuseSaml('transient_nameid', 'the NameID is transient: the identity provider must send a persistent one')
  }
  return nameId
}

/** The end of the window. */
function checkConditions(assertion: XmlElement, { audience, skewMs, now }: ExpectedAssertion): number {
  const conditions = onlyChild(assertion, 'Conditions')
  const notOnOrAfter = conditions && instantOf(conditions, 'NotOnOrAfter')
  if (conditions === undefined || notOnOrAfter === undefined) {
    throw refuseSaml('missing_conditions', 'the assertion has no expiry')
  }
  const notBefore = instantOf(conditions, 'NotBefore')
  if (notBefore !== undefined && now.getTime() + skewMs < notBefore) {
    throw refuseSaml('assertion_not_yet_valid', 'the assertion is not valid yet')
  }
  if (now.getTime() - skewMs >= notOnOrAfter) throw refuseSaml('assertion_expired', 'the assertion has expired')
  const restrictions = childrenNamed(conditions, SAML.assertion, 'AudienceRestriction')
  // SAML core §2.5.1.4: every restriction must be met, each by one of its audiences.
  const isMeant = restrictions.every((one) =>
    childrenNamed(one, SAML.assertion, 'Audience').some((element) => textOf(element) === audience),
  )
  if (restrictions.length === 0 || !isMeant) {
    throw refuseSaml('audience_mismatch', 'the assertion is meant for another service')
  }
  return notOnOrAfter
}

/** The end of the window of the first confirmation that fits; the reason is that of the last one that does not. */
function checkSubject(subject: XmlElement | undefined, expected: ExpectedAssertion): number {
  const confirmations = subject === undefined ? [] : childrenNamed(subject, SAML.assertion, 'SubjectConfirmation')
  let refusal = refuseSaml('missing_subject_confirmation', 'the assertion has no bearer confirmation')
  for (const confirmation of confirmations) {
    if (attributeOf(confirmation, 'Method') !== SAML.bearer) continue
    const data = onlyChild(confirmation, 'SubjectConfirmationData')
    const notOnOrAfter = data && instantOf(data, 'NotOnOrAfter')
    if (data === undefined || notOnOrAfter === undefined) continue
    const notBefore = instantOf(data, 'NotBefore')
    const nowMs = expected.now.getTime()
    if (attributeOf(data, 'Recipient') !== expected.acsUrl) {
      refusal = refuseSaml('recipient_mismatch', 'the assertion is meant for another address')
    } else if (attributeOf(data, 'InResponseTo') !== expected.inResponseTo) {
      refusal = refuseSaml('request_unknown', 'the assertion answers another request')
    } else if (
      nowMs - expected.skewMs >= notOnOrAfter ||
      (notBefore !== undefined && nowMs + expected.skewMs < notBefore)
    ) {
      refusal = refuseSaml('subject_confirmation_expired', 'the subject confirmation is not valid now')
    } else {
      return notOnOrAfter
    }
  }
  throw refusal
}

function checkSessionEnd(assertion: XmlElement, { skewMs, now }: ExpectedAssertion): void {
  for (const statement of childrenNamed(assertion, SAML.assertion, 'AuthnStatement')) {
    const endsAt = instantOf(statement, 'SessionNotOnOrAfter')
    if (endsAt !== undefined && now.getTime() - skewMs >= endsAt) {
      throw refuseSaml('assertion_expired', "the identity provider's session has ended")
    }
  }
}

function readAttributes(assertion: XmlElement): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (const statement of childrenNamed(assertion, SAML.assertion, 'AttributeStatement')) {
    for (const attribute of childrenNamed(statement, SAML.assertion, 'Attribute')) {
      const name = attributeOf(attribute, 'Name')?.toLowerCase()
      if (name === undefined) continue
      const texts = childrenNamed(attribute, SAML.assertion, 'AttributeValue').map(textOf)
      values.set(name, [...(values.get(name) ?? []), ...texts.filter((text) => text !== '')])
    }
  }
  return values
}

function firstOf(attributes: ReadonlyMap<string, readonly string[]>, names: readonly string[]): string | undefined {
  return names.flatMap((name) => attributes.get(name) ?? [])[0]
}

function emailOf(attributes: ReadonlyMap<string, readonly string[]>, nameId: string): string | null {
  return readAddress(firstOf(attributes, EMAIL_ATTRIBUTES) ?? nameId)
}

/** With two elements where one is allowed, readers could disagree on which one counts. */
function onlyChild(parent: XmlElement, name: string): XmlElement | undefined {
  const found = childrenNamed(parent, SAML.assertion, name)
  if (found.length > 1) throw refuseSaml('malformed_response', `the assertion has more than one ${name}`)
  return found[0]
}

/**
 * Milliseconds since the epoch. Throws for a value that is not an instant: an unreadable window must not count as open.
 */
function instantOf(element: XmlElement, name: string): number | undefined {
  const text = attributeOf(element, name)
  if (text === undefined) return undefined
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)
  const instant = isInstant ? Date.parse(text) : Number.NaN
  if (Number.isNaN(instant)) throw refuseSaml('malformed_response', `${name} is not an instant`)
  return instant
}
