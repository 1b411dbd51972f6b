import { invalidField } from '../../../kernel/errors.ts'
import { ACCOUNTS_ERRORS } from '../../errors.ts'
import { readCertificates } from './certificates.ts'
import { SAML } from './names.ts'
import {
  attributeOf,
  childrenNamed,
  isNamed,
  parseXml,
  textOf,
  walkElements,
  XmlError,
  type XmlElement,
} from './xml.ts'

/** Facts of an identity provider's metadata. */
export interface IdpMetadata {
  readonly entityId: string
  /** Sign-in address for browsers, redirect binding. */
  readonly ssoUrl: string
  /** PEM, of signing keys. */
  readonly certificates: readonly string[]
}

/**
 * Reads the metadata of an identity provider: exactly one entity with an IDPSSODescriptor, its redirect address and
 * its signing certificates. Throws `invalid_identity_config` naming the field.
 */
export function readIdpMetadata(xml: string, field: string): IdpMetadata {
  const entity = onlyProvider(parse(xml, field), field)
  const entityId = attributeOf(entity, 'entityID')
  const [descriptor] = childrenNamed(entity, SAML.metadata, 'IDPSSODescriptor')
  if (entityId === undefined || descriptor === undefined) {
    throw invalid(field, 'must describe an identity provider with an entityID')
  }
  const ssoUrl = childrenNamed(descriptor, SAML.metadata, 'SingleSignOnService')
    .filter((service) => attributeOf(service, 'Binding') === SAML.redirectBinding)
    .map((service) => attributeOf(service, 'Location'))[0]
  if (ssoUrl === undefined) throw invalid(field, 'must name an address for sign-in by the HTTP-Redirect binding')
  const certificates = signingCertificates(descriptor, field)
  if (certificates.length === 0) throw invalid(field, 'must hold a signing certificate')
  return { entityId, ssoUrl, certificates }
}

function parse(xml: string, field: string): XmlElement {
  try {
    return parseXml(xml)
  } catch (error) {
    if (error instanceof XmlError) throw invalid(field, error.message, error)
    throw error
  }
}

function onlyProvider(root: XmlElement, field: string): XmlElement {
  const providers = Array.from(walkElements(root)).filter(
    (element) =>
      isNamed(element, SAML.metadata, 'EntityDescriptor') &&
      childrenNamed(element, SAML.metadata, 'IDPSSODescriptor').length > 0,
  )
  const [provider] = providers
  if (provider === undefined) throw invalid(field, 'must describe an identity provider')
  if (providers.length > 1) throw invalid(field, 'must describe one identity provider, not several')
  return provider
}

/** Keys without a use are for both signing and encryption (SAML metadata §2.4.1.1). */
function signingCertificates(descriptor: XmlElement, field: string): readonly string[] {
  const certificates = childrenNamed(descriptor, SAML.metadata, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => Array.from(walkElements(key)))
    .filter((element) => isNamed(element, SAML.signature, 'X509Certificate'))
    .flatMap((element) => readCertificates(textOf(element), field))
  return [...new Set(certificates)]
}

function invalid(field: string, message: string, cause?: unknown) {
  return invalidField(field, message, ACCOUNTS_ERRORS.invalid_identity_config, cause)
}
