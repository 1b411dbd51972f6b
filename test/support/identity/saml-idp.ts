import { randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { SignedXml } from 'xml-crypto'
import { selfSigned, type SelfSigned } from './self-signed.ts'

/** Fields of the assertion that a test sets; the rest is as it should be. */
export interface AssertionWishes {
  readonly nameId?: string
  readonly nameIdFormat?: string
  readonly assertionId?: string
  readonly issuer?: string
  readonly responseIssuer?: string
  readonly audience?: string | null
  readonly destination?: string
  readonly recipient?: string | null
  readonly inResponseTo?: string | null
  /** Of the confirmation alone. */
  readonly subjectInResponseTo?: string
  readonly notBefore?: Date
  readonly notOnOrAfter?: Date
  readonly subjectNotOnOrAfter?: Date | null
  readonly hasConditions?: boolean
  readonly method?: string
  readonly status?: string
  readonly attributes?: Readonly<Record<string, readonly string[]>>
  readonly signature?: {
    readonly algorithm?: string
    readonly digest?: string
    /** The signed part: the assertion, the response around it, both, or neither. */
    readonly over?: 'assertion' | 'response' | 'both' | 'nothing'
    /** The signing key, in place of the provider's private key. */
    readonly secret?: string
  }
}

/** The request of the service, read out of the address that it sent the browser to. */
export interface SamlRequest {
  readonly id: string
  readonly acsUrl: string
  readonly issuer: string
  readonly destination: string
}

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'

/** An identity provider: metadata, and responses signed with its key. */
export class SamlIdp {
  readonly entityId: string
  readonly ssoUrl: string
  readonly keys: SelfSigned

  constructor(
    entityId = `https://idp-${randomBytes(6).toString('hex')}.example.test/entity`,
    keys = selfSigned('idp'),
  ) {
    this.entityId = entityId
    this.ssoUrl = `${entityId}/sso`
    this.keys = keys
  }

  metadata(): string {
    const certificate = this.keys.certificatePem.replace(/-----[^-]+-----|\s/g, '')
    return `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${this.entityId}">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${this.ssoUrl}/post"/>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${this.ssoUrl}"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`
  }

  /** Reads the request out of the address that a browser was sent to. */
  readRequest(url: string): SamlRequest {
    const message = new URL(url).searchParams.get('SAMLRequest') ?? ''
    const xml = inflateRawSync(Buffer.from(message, 'base64')).toString('utf8')
    const attribute = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(xml)?.[1] ?? ''
    return {
      id: attribute('ID'),
      acsUrl: attribute('AssertionConsumerServiceURL'),
      destination: attribute('Destination'),
      issuer: /<saml:Issuer[^>]*>([^<]*)</.exec(xml)?.[1] ?? '',
    }
  }

  /** The response to a request, as the form field `SAMLResponse`. */
  answer(request: SamlRequest, wishes: AssertionWishes = {}): string {
    return Buffer.from(this.sign(this.response(request, wishes), wishes), 'utf8').toString('base64')
  }

  /** The response before it is signed. */
  response(request: SamlRequest, wishes: AssertionWishes = {}): string {
    const minutes = (count: number) => new Date(Date.now() + count * 60_000)
    const {
      nameId = 'ada@example.test',
      nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      assertionId = `_${randomBytes(20).toString('hex')}`,
      issuer = this.entityId,
      responseIssuer = this.entityId,
      audience = request.issuer,
      destination = request.acsUrl,
      recipient = request.acsUrl,
      inResponseTo = request.id,
      notBefore = minutes(-1),
      notOnOrAfter = minutes(5),
      subjectNotOnOrAfter = notOnOrAfter,
      hasConditions = true,
      method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
      status = 'urn:oasis:names:tc:SAML:2.0:status:Success',
      attributes = {},
    } = wishes
    const answers = inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`
    const subjectAnswers =
      wishes.subjectInResponseTo === undefined ? answers : ` InResponseTo="${wishes.subjectInResponseTo}"`
    const received = recipient === null ? '' : ` Recipient="${recipient}"`
    const confirmedUntil = subjectNotOnOrAfter === null ? '' : ` NotOnOrAfter="${subjectNotOnOrAfter.toISOString()}"`
    const restriction =
      audience === null
        ? ''
        : `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`
    const conditions = hasConditions
      ? `<saml:Conditions NotBefore="${notBefore.toISOString()}" NotOnOrAfter="${notOnOrAfter.toISOString()}">${restriction}</saml:Conditions>`
      : ''
    const statements = Object.entries(attributes).map(
      ([name, values]) =>
        `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
    )
    const attributeStatement =
      statements.length === 0 ? '' : `<saml:AttributeStatement>${statements.join('')}</saml:AttributeStatement>`
    const now = new Date().toISOString()
    return (
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(20).toString('hex')}" Version="2.0" IssueInstant="${now}" Destination="${destination}"${answers}>` +
      `<saml:Issuer>${responseIssuer}</saml:Issuer>` +
      `<samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>` +
      `<saml:Assertion ID="${assertionId}" Version="2.0" IssueInstant="${now}">` +
      `<saml:Issuer>${issuer}</saml:Issuer>` +
      `<saml:Subject><saml:NameID Format="${nameIdFormat}">${nameId}</saml:NameID>` +
      `<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData${confirmedUntil}${received}${subjectAnswers}/></saml:SubjectConfirmation></saml:Subject>` +
      conditions +
      `<saml:AuthnStatement AuthnInstant="${now}" SessionIndex="_s1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
      attributeStatement +
      `</saml:Assertion></samlp:Response>`
    )
  }

  /** Signs the assertion of a response, the response, or one after the other, with this provider's key. */
  sign(xml: string, { signature = {} }: AssertionWishes = {}): string {
    const { over = 'assertion' } = signature
    if (over === 'nothing') return xml
    const inner = over === 'response' ? xml : this.#signElement('Assertion', xml, signature)
    return over === 'assertion' ? inner : this.#signElement('Response', inner, signature)
  }

  #signElement(name: 'Assertion' | 'Response', xml: string, wishes: NonNullable<AssertionWishes['signature']>): string {
    const { algorithm = RSA_SHA256, digest = SHA256, secret = this.keys.privateKeyPem } = wishes
    const signer = new SignedXml({
      privateKey: secret,
      publicCert: this.keys.certificatePem,
      signatureAlgorithm: algorithm,
      canonicalizationAlgorithm: EXCLUSIVE,
    })
    if (algorithm.includes('hmac')) signer.enableHMAC()
    signer.addReference({
      xpath: `//*[local-name(.)='${name}']`,
      transforms: [ENVELOPED, EXCLUSIVE],
      digestAlgorithm: digest,
    })
    signer.computeSignature(xml, {
      location: { reference: `//*[local-name(.)='${name}']/*[local-name(.)='Issuer']`, action: 'after' },
    })
    return signer.getSignedXml()
  }
}
