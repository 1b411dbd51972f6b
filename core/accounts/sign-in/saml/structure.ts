import { isUtf8 } from 'node:buffer'
import { SAML, SIGNATURE_ALGORITHMS } from './names.ts'
import { refuseSaml } from './refusal.ts'
import { attributeOf, childrenNamed, isNamed, parseXml, textOf, walkElements, type XmlElement } from './xml.ts'

/** Values that a response must match. */
export interface ExpectedResponse {
  /** The address that responses are posted to. */
  readonly acsUrl: string
  /** The configured entity id of the identity provider. */
  readonly issuer: string
}

/** Facts of a response before its signature is verified; not trusted. */
export interface ScreenedResponse {
  /** The document as the library reads it. */
  readonly base64: string
  /** The request that the response claims to answer. */
  readonly inResponseTo: string
}

/** Reads the base64 of a response. Throws `saml_response_refused`. */
export function decodeResponse(base64: string): XmlElement {
  const bare = base64.replace(/\s+/g, '')
  const bytes = Buffer.from(bare, 'base64')
  if (bytes.length === 0 || bytes.toString('base64') !== bare || !isUtf8(bytes)) {
    throw refuseSaml('malformed_response', 'SAMLResponse is not base64 of UTF-8 text')
  }
  try {
    return parseXml(bytes.toString('utf8'))
  } catch (error) {
    throw refuseSaml('malformed_response', 'SAMLResponse is not a well-formed document', error)
  }
}

/** Returns the issuer that the response claims, used only to look up its configuration; undefined when absent. */
export function claimedIssuer(root: XmlElement): string | undefined {
  const [assertion] = childrenNamed(root, SAML.assertion, 'Assertion')
  const issuers = [
    ...childrenNamed(root, SAML.assertion, 'Issuer'),
    ...(assertion === undefined ? [] : childrenNamed(assertion, SAML.assertion, 'Issuer')),
  ]
  return issuers.map(textOf).find((text) => text !== '')
}

/**
 * Refuses every response whose structure leaves open which part is signed and which is read: it must be one Response
 * with one Assertion as its child, and signatures only as children of these two. Checks here and in `readAssertion`
 * cover what the library does not: destination, issuer of the response, algorithms, presence of conditions.
 */
export function screenResponse(base64: string, root: XmlElement, expected: ExpectedResponse): ScreenedResponse {
  if (!isNamed(root, SAML.protocol, 'Response') || attributeOf(root, 'Version') !== '2.0') {
    throw refuseSaml('malformed_response', 'the document is not a Response of SAML 2.0')
  }
  requireSuccess(root)
  const assertion = onlyAssertion(root)
  requireSignaturesInPlace(root, assertion)
  requireUniqueIds(root)
  requireAlgorithms(root)
  if (attributeOf(root, 'Destination') !== expected.acsUrl) {
    throw refuseSaml('destination_mismatch', 'the response is meant for another address')
  }
  const [issuer] = childrenNamed(root, SAML.assertion, 'Issuer')
  if (issuer !== undefined && textOf(issuer) !== expected.issuer) {
    throw refuseSaml('issuer_mismatch', 'the response is from another identity provider')
  }
  const [conditions] = childrenNamed(assertion, SAML.assertion, 'Conditions')
  if (conditions === undefined || attributeOf(conditions, 'NotOnOrAfter') === undefined) {
    throw refuseSaml('missing_conditions', 'the assertion has no expiry')
  }
  const inResponseTo = attributeOf(root, 'InResponseTo')
  if (inResponseTo === undefined) {
    throw refuseSaml('unsolicited_response', 'the response answers no request: sign in from this service')
  }
  return { base64, inResponseTo }
}

function requireSuccess(root: XmlElement): void {
  const [status] = childrenNamed(root, SAML.protocol, 'Status')
  const [code] = status === undefined ? [] : childrenNamed(status, SAML.protocol, 'StatusCode')
  if (code === undefined || attributeOf(code, 'Value') !== SAML.success) {
    throw refuseSaml('status_not_success', 'the identity provider did not sign the user in')
  }
}

function onlyAssertion(root: XmlElement): XmlElement {
  const assertions: XmlElement[] = []
  for (const element of walkElements(root)) {
    if (element.localName === 'EncryptedAssertion') {
      throw refuseSaml(
        'encrypted_assertion',
        'encrypted assertions are not supported: the service publishes no encryption key',
      )
    }
    // In any namespace: a later reader must not take another element for the assertion.
    if (element.localName === 'Assertion') assertions.push(element)
  }
  const [assertion] = assertions
  if (assertion === undefined) throw refuseSaml('malformed_response', 'the response holds no assertion')
  if (assertions.length > 1 || assertion.parentNode !== root || assertion.namespaceURI !== SAML.assertion) {
    throw refuseSaml('signature_verification_failed', 'the response holds an assertion out of place')
  }
  return assertion
}

function requireSignaturesInPlace(root: XmlElement, assertion: XmlElement): void {
  const seen = new Set<unknown>()
  for (const element of walkElements(root)) {
    if (isNamed(element, SAML.signature, 'Object')) {
      throw refuseSaml('signature_verification_failed', 'a signature holds an object')
    }
    if (element.localName !== 'Signature') continue
    const parent = element.parentNode
    if ((parent !== root && parent !== assertion) || seen.has(parent)) {
      throw refuseSaml('signature_verification_failed', 'the response holds a signature out of place')
    }
    seen.add(parent)
  }
  if (!seen.has(assertion)) throw refuseSaml('signature_verification_failed', 'the assertion is not signed')
}

/** With a duplicate id, the signature of one element could pass for the other's. */
function requireUniqueIds(root: XmlElement): void {
  const seen = new Set<string>()
  for (const element of walkElements(root)) {
    for (const { name, value } of Array.from(element.attributes)) {
      if (name.toLowerCase() !== 'id') continue
      if (seen.has(value)) throw refuseSaml('signature_verification_failed', 'two elements have the same id')
      seen.add(value)
    }
  }
}

function requireAlgorithms(root: XmlElement): void {
  for (const element of walkElements(root)) {
    if (element.namespaceURI !== SAML.signature) continue
    const allowed = Object.hasOwn(SIGNATURE_ALGORITHMS, element.localName)
      ? SIGNATURE_ALGORITHMS[element.localName]
      : undefined
    if (allowed !== undefined && !allowed.has(attributeOf(element, 'Algorithm') ?? '')) {
      throw refuseSaml('weak_algorithm', `${element.localName} of the signature is not one that is accepted`)
    }
  }
}
