import { expect } from 'chai'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { certificateSha256, readCertificates } from '../../../core/accounts/sign-in/saml/certificates.ts'
import { readIdpMetadata } from '../../../core/accounts/sign-in/saml/metadata.ts'
import {
  describeServiceProvider,
  serviceProviderAt,
  startSamlLogin,
  verifySamlResponse,
  type IdentityProvider,
} from '../../../core/accounts/sign-in/saml/provider.ts'
import { claimedIssuer, decodeResponse } from '../../../core/accounts/sign-in/saml/structure.ts'
import { SamlIdp, type AssertionWishes } from '../../support/identity/saml-idp.ts'
import { selfSigned } from '../../support/identity/self-signed.ts'

const SERVICE = serviceProviderAt('https://svc.example.test/')
const SKEW_MS = 300_000

function providerOf(idp: SamlIdp): IdentityProvider {
  return {
    entityId: idp.entityId,
    ssoUrl: idp.ssoUrl,
    certificates: [idp.keys.certificatePem],
    audience: SERVICE.entityId,
  }
}

/** Starts a login and verifies what the provider answers, changed by the test. */
async function signIn(idp: SamlIdp, wishes: AssertionWishes = {}, change = (xml: string) => xml) {
  const { url, requestId } = await startSamlLogin(SERVICE, providerOf(idp))
  const answer = Buffer.from(idp.answer(idp.readRequest(url), wishes), 'base64').toString('utf8')
  const base64 = Buffer.from(change(answer)).toString('base64')
  return await verifySamlResponse(
    { base64, root: decodeResponse(base64) },
    {
      service: SERVICE,
      provider: providerOf(idp),
      skewMs: SKEW_MS,
      now: new Date(),
      issuedAt: async (id) => (id === requestId ? new Date() : null),
    },
  )
}

/** The reason of a refusal. */
async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    if (ACCOUNTS_ERRORS.saml_response_refused.matches(error)) return error.details?.['reason']
    throw error
  }
  return 'taken'
}

function codeOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    if (error instanceof DomainError) return `${error.code} ${error.details?.fields?.[0]?.field ?? ''}`.trim()
    throw error
  }
}

const minutes = (count: number) => new Date(Date.now() + count * 60_000)

describe('SAML responses', () => {
  const idp = new SamlIdp()

  it('are read when everything fits', async () => {
    const claims = await signIn(idp, {
      nameId: 'Ada@Example.test',
      attributes: { displayName: ['Ada L.'], groups: ['engineers', 'admins'] },
    })
    expect(claims).to.include({ nameId: 'Ada@Example.test', email: 'ada@example.test', displayName: 'Ada L.' })
    expect(claims.groups).to.deep.equal(['engineers', 'admins'])
    expect(claims.replayableUntil.getTime()).to.be.greaterThan(minutes(9).getTime())
  })

  it('take the address of an attribute before that of the name', async () => {
    const claims = await signIn(idp, { nameId: 'u-77', attributes: { mail: ['Grace@example.test'] } })
    expect(claims).to.include({ nameId: 'u-77', email: 'grace@example.test' })
    expect((await signIn(idp, { nameId: 'u-78' })).email).to.equal(null)
  })

  it('may be signed as a whole beside the assertion', async () => {
    const claims = await signIn(idp, {}, (xml) => idp.sign(xml, { signature: { over: 'response' } }))
    expect(claims.email).to.equal('ada@example.test')
  })

  const cases: readonly (readonly [string, AssertionWishes, string])[] = [
    ['unsigned', { signature: { over: 'nothing' } }, 'signature_verification_failed'],
    ['signed as a whole only', { signature: { over: 'response' } }, 'signature_verification_failed'],
    ['without Conditions', { hasConditions: false }, 'missing_conditions'],
    [
      'of the past',
      { notBefore: minutes(-30), notOnOrAfter: minutes(-10), subjectNotOnOrAfter: minutes(5) },
      'assertion_expired',
    ],
    ['of the future', { notBefore: minutes(10), notOnOrAfter: minutes(20) }, 'assertion_not_yet_valid'],
    ['confirmed in the past', { subjectNotOnOrAfter: minutes(-10) }, 'subject_confirmation_expired'],
    ['confirmed without an end', { subjectNotOnOrAfter: null }, 'malformed_response'],
    ['for another audience', { audience: 'https://other.example.test' }, 'audience_mismatch'],
    ['without an audience', { audience: null }, 'audience_mismatch'],
    ['for another recipient', { recipient: 'https://other.example.test/acs' }, 'recipient_mismatch'],
    ['without a recipient', { recipient: null }, 'recipient_mismatch'],
    ['for another destination', { destination: 'https://other.example.test/acs' }, 'destination_mismatch'],
    ['of another issuer', { issuer: 'https://other.example.test' }, 'issuer_mismatch'],
    ['in a response of another issuer', { responseIssuer: 'https://other.example.test' }, 'issuer_mismatch'],
    ['that answer nothing', { inResponseTo: null }, 'unsolicited_response'],
    ['that answer an unknown request', { inResponseTo: '_unknown' }, 'request_unknown'],
    ['whose confirmation answers another request', { subjectInResponseTo: '_other' }, 'request_unknown'],
    [
      'of a holder of a key',
      { method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' },
      'missing_subject_confirmation',
    ],
    ['of a failure', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }, 'status_not_success'],
    ['signed with SHA-1', { signature: { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' } }, 'weak_algorithm'],
    ['digested with SHA-1', { signature: { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' } }, 'weak_algorithm'],
  ]
  for (const [what, wishes, reason] of cases) {
    it(`are refused ${what}`, async () => {
      expect(await refusalOf(signIn(idp, wishes))).to.equal(reason)
    })
  }

  it('are refused when a byte of the assertion was changed', async () => {
    const changed = signIn(idp, {}, (xml) => xml.replace('>ada@example.test<', '>eve@example.test<'))
    expect(await refusalOf(changed)).to.equal('signature_verification_failed')
  })

  it('are refused when another key signed them', async () => {
    const impostor = new SamlIdp(idp.entityId)
    const { url, requestId } = await startSamlLogin(SERVICE, providerOf(idp))
    const base64 = impostor.answer(idp.readRequest(url))
    const verified = verifySamlResponse(
      { base64, root: decodeResponse(base64) },
      {
        service: SERVICE,
        provider: providerOf(idp),
        skewMs: SKEW_MS,
        now: new Date(),
        issuedAt: async (id) => (id === requestId ? new Date() : null),
      },
    )
    expect(await refusalOf(verified)).to.equal('signature_verification_failed')
  })

  it('are refused with a document type, before it is parsed', async () => {
    const withType = signIn(idp, {}, (xml) => `<!DOCTYPE r [<!ENTITY e "x">]>${xml}`)
    expect(await refusalOf(withType)).to.equal('malformed_response')
  })

  it('are refused when an id stands twice', async () => {
    const doubled = signIn(idp, {}, (xml) => {
      const id = /<saml:Assertion ID="([^"]+)"/.exec(xml)?.[1] ?? ''
      return xml.replace('<samlp:Status>', `<samlp:Status ID="${id}">`)
    })
    expect(await refusalOf(doubled)).to.equal('signature_verification_failed')
  })

  it('name their issuer, which is not trusted yet', () => {
    const request = { id: '_r', acsUrl: SERVICE.acsUrl, issuer: SERVICE.entityId, destination: idp.ssoUrl }
    expect(claimedIssuer(decodeResponse(idp.answer(request)))).to.equal(idp.entityId)
    expect(codeOf(() => decodeResponse('not base64!'))).to.equal('saml_response_refused')
  })
})

describe('SAML requests', () => {
  it('name the service, the address for the answer, and a fresh id', async () => {
    const idp = new SamlIdp()
    const { url, requestId } = await startSamlLogin(SERVICE, providerOf(idp))
    const request = idp.readRequest(url)
    expect(url.startsWith(`${idp.ssoUrl}?`)).to.equal(true)
    expect(request).to.deep.equal({
      id: requestId,
      acsUrl: 'https://svc.example.test/v1/account/saml/acs',
      issuer: 'https://svc.example.test/saml/sp',
      destination: idp.ssoUrl,
    })
    expect((await startSamlLogin(SERVICE, providerOf(idp))).requestId).not.to.equal(requestId)
  })
})

describe('SAML metadata', () => {
  it('of the service wants signed assertions at one address', async () => {
    const xml = await describeServiceProvider(SERVICE)
    expect(xml).to.include('EntityDescriptor').and.include('entityID="https://svc.example.test/saml/sp"')
    expect(xml).to.include('WantAssertionsSigned="true"').and.include('AuthnRequestsSigned="false"')
    expect(xml).to.include('Location="https://svc.example.test/v1/account/saml/acs"')
    expect(xml).not.to.include('SingleLogoutService')
    expect(await describeServiceProvider(SERVICE)).to.equal(xml)
  })

  it('of a provider gives its name, address and certificates', () => {
    const idp = new SamlIdp()
    const metadata = readIdpMetadata(idp.metadata(), 'metadata_xml')
    expect(metadata).to.include({ entityId: idp.entityId, ssoUrl: idp.ssoUrl })
    expect(metadata.certificates.map(certificateSha256)).to.deep.equal([certificateSha256(idp.keys.certificatePem)])
  })

  it('of a provider is refused when something is missing, or stands twice', () => {
    const idp = new SamlIdp()
    const broken: readonly string[] = [
      '<a/>',
      '<a',
      idp
        .metadata()
        .replace('IDPSSODescriptor', 'SPSSODescriptor')
        .replace('/md:IDPSSODescriptor', '/md:SPSSODescriptor'),
      idp.metadata().replace(/<md:SingleSignOnService[^>]*HTTP-Redirect[^>]*>/, ''),
      idp.metadata().replace(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/s, ''),
      `<!DOCTYPE a>${idp.metadata().replace('<?xml version="1.0"?>', '')}`,
      `<e xmlns="urn:e">${idp.metadata().replace('<?xml version="1.0"?>', '').repeat(2)}</e>`,
    ]
    for (const xml of broken) {
      expect(codeOf(() => readIdpMetadata(xml, 'metadata_xml'))).to.equal('invalid_identity_config metadata_xml')
    }
  })
})

describe('identity provider certificates', () => {
  const { certificatePem, privateKeyPem } = selfSigned('idp')

  it('are read from PEM and from bare base64', () => {
    const bare = certificatePem.replace(/-----[^-]+-----|\s/g, '')
    expect(readCertificates(bare, 'idp_cert_pem')).to.deep.equal(readCertificates(certificatePem, 'idp_cert_pem'))
    expect(readCertificates(certificatePem + selfSigned('next').certificatePem, 'idp_cert_pem')).to.have.length(2)
  })

  it('are refused with a private key beside them, when they are none, and when they are weak', () => {
    const weak = selfSigned('weak', 1024).certificatePem
    for (const text of [certificatePem + privateKeyPem, 'AAAA', 'nonsense', weak]) {
      expect(codeOf(() => readCertificates(text, 'idp_cert_pem'))).to.equal('invalid_identity_config idp_cert_pem')
    }
  })
})
