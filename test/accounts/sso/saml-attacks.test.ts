import { expect } from 'chai'
import type { Answer, ApiTenant } from '../../support/api.ts'
import { SamlIdp, type AssertionWishes } from '../../support/identity/saml-idp.ts'
import {
  configureSaml,
  cookieOf,
  departToSaml,
  givenBusiness,
  postResponse,
  useSsoServer,
} from '../../support/identity/sso.ts'

const minutes = (count: number) => new Date(Date.now() + count * 60_000)
const text = (base64: string) => Buffer.from(base64, 'base64').toString('utf8')
const base64 = (xml: string) => Buffer.from(xml, 'utf8').toString('base64')

describe('attacks on the SAML consumer', () => {
  const server = useSsoServer({ limits: { saml_skew_s: 120 } })
  const idp = new SamlIdp()
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenBusiness(server)
    await configureSaml(server, tenant, idp)
  })

  const expectRefused = (answer: Answer, reason: string) => {
    expect([answer.status, answer.body.code], answer.text).to.deep.equal([401, 'saml_response_refused'])
    expect(answer.body.details.reason).to.equal(reason)
    expect(cookieOf(answer, 'svc_session')).to.equal('')
  }
  /** A sign-in that is fine but for what the provider says, or for what happens to it on the way. */
  const attempt = async (wishes: AssertionWishes, change = (xml: string) => xml) => {
    const { request, cookie } = await departToSaml(server, tenant, idp)
    return await postResponse(server, base64(change(text(idp.answer(request, wishes)))), { cookie })
  }
  /** The same for a caller that wants to read who was signed in. */
  const attemptAsJson = async (wishes: AssertionWishes, change: (xml: string) => string) => {
    const { request, cookie } = await departToSaml(server, tenant, idp)
    const SAMLResponse = base64(change(text(idp.answer(request, wishes))))
    return await server.api.call('POST', '/v1/account/saml/acs', { body: { SAMLResponse }, headers: { cookie } })
  }
  /** A response that is signed as a whole and in its assertion, taken apart. */
  const partsOf = (xml: string) => {
    const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? ''
    const signatureIn = (part: string) => /<Signature.*?<\/Signature>/s.exec(part)?.[0] ?? ''
    return { assertion, signature: signatureIn(assertion), responseSignature: signatureIn(xml.replace(assertion, '')) }
  }
  const forged = (assertion: string) =>
    assertion
      .replace(/<Signature.*<\/Signature>/s, '')
      .replace('ada@example.test', 'eve@example.test')
      .replace(/ID="[^"]+"/, 'ID="_forged"')
  const renamed = (response: string) => response.replace(/ID="[^"]+"/, 'ID="_renamed"')

  it('a genuine response is taken, so that the refusals below mean something', async () => {
    expect((await attempt({})).status).to.equal(302)
  })

  /** The eight of "On Breaking SAML" (Somorovsky et al., USENIX Security 2012), and what lies near them. */
  const WRAPPINGS: Readonly<Record<string, (xml: string, parts: ReturnType<typeof partsOf>) => string>> = {
    'XSW1: the signed response inside the signature of a forged one': (xml, { assertion, responseSignature }) => {
      const bare = xml.replace(responseSignature, '')
      const holding = responseSignature.replace('</Signature>', `<Object>${bare}</Object></Signature>`)
      return renamed(bare.replace(assertion, forged(assertion))).replace('<samlp:Status>', `${holding}<samlp:Status>`)
    },
    'XSW2: the signed response before a forged one': (xml, { assertion, responseSignature }) => {
      const bare = xml.replace(responseSignature, '')
      return renamed(bare.replace(assertion, forged(assertion))).replace(
        '<samlp:Status>',
        `${bare}${responseSignature}<samlp:Status>`,
      )
    },
    'XSW3: a forged assertion before the signed one': (xml, { assertion }) =>
      xml.replace(assertion, forged(assertion) + assertion),
    'XSW4: the signed assertion inside a forged one': (xml, { assertion }) =>
      xml.replace(assertion, forged(assertion).replace('</saml:Assertion>', `${assertion}</saml:Assertion>`)),
    'XSW5: the signature in a forged assertion, the original behind it': (xml, { assertion, signature }) => {
      const fake = forged(assertion).replace('</saml:Issuer>', `</saml:Issuer>${signature}`)
      return xml.replace(assertion, fake + assertion.replace(signature, ''))
    },
    'XSW6: the original inside the signature of a forged assertion': (xml, { assertion, signature }) => {
      const holding = signature.replace('</Signature>', `${assertion.replace(signature, '')}</Signature>`)
      return xml.replace(assertion, forged(assertion).replace('</saml:Issuer>', `</saml:Issuer>${holding}`))
    },
    'XSW7: a forged assertion in an extension': (xml, { assertion }) =>
      xml.replace('<samlp:Status>', `<samlp:Extensions>${forged(assertion)}</samlp:Extensions><samlp:Status>`),
    'XSW8: the original in an object of the signature of a forged assertion': (xml, { assertion, signature }) => {
      const holding = signature.replace(
        '</Signature>',
        `<Object>${assertion.replace(signature, '')}</Object></Signature>`,
      )
      return xml.replace(assertion, forged(assertion).replace('</saml:Issuer>', `</saml:Issuer>${holding}`))
    },
    'a forged assertion behind the signed one': (xml, { assertion }) =>
      xml.replace(assertion, assertion + forged(assertion)),
    'the signed assertion in an extension': (xml, { assertion }) =>
      xml
        .replace(assertion, forged(assertion))
        .replace('<samlp:Status>', `<samlp:Extensions>${assertion}</samlp:Extensions><samlp:Status>`),
    'the signed assertion in a wrapper of another name': (xml, { assertion }) =>
      xml.replace(assertion, `<x:Wrapper xmlns:x="urn:x">${assertion}</x:Wrapper>${forged(assertion)}`),
    'an assertion of another namespace': (xml, { assertion }) =>
      xml.replace(assertion, `${assertion}<Assertion xmlns="urn:other"/>`),
    'a forged assertion under the id that the signature names': (xml, { assertion }) => {
      const id = /ID="([^"]+)"/.exec(assertion)?.[1] ?? ''
      return xml.replace(assertion, forged(assertion).replace('_forged', id) + assertion)
    },
  }

  for (const [name, wrap] of Object.entries(WRAPPINGS)) {
    it(`signature wrapping is refused: ${name}`, async () => {
      const answer = await attempt({ signature: { over: 'both' } }, (xml) => wrap(xml, partsOf(xml)))
      expectRefused(answer, 'signature_verification_failed')
    })
  }

  it('takes a response that is signed as a whole too, and none where only the response is signed', async () => {
    expect((await attempt({ signature: { over: 'both' } })).status).to.equal(302)
    expectRefused(await attempt({ signature: { over: 'response' } }), 'signature_verification_failed')
  })

  it('content placed inside the signature is not read', async () => {
    // The digest leaves the signature out, and so does the reader.
    const stuffed = '<saml:Subject><saml:NameID>eve@example.test</saml:NameID></saml:Subject></Signature>'
    const answer = await attemptAsJson({}, (xml) => xml.replace('</Signature>', stuffed))
    expect([answer.status, answer.body.name_id], answer.text).to.deep.equal([200, 'ada@example.test'])
  })

  it('a comment inside the name does not shorten it', async () => {
    const nameId = 'ada@example.test.evil.test'
    const answer = await attemptAsJson({ nameId }, (xml) => xml.replace(nameId, 'ada@example.test<!-- -->.evil.test'))
    expect([answer.status, answer.body.name_id, answer.body.email], answer.text).to.deep.equal([200, nameId, nameId])
    // Other things that end a text for careless readers are part of what is signed.
    for (const inserted of ['<?x y?>', '<b/>']) {
      const cut = await attempt({ nameId }, (xml) => xml.replace(nameId, `ada@example.test${inserted}.evil.test`))
      expectRefused(cut, 'signature_verification_failed')
    }
  })

  it('algorithm confusion is refused: a secret made of the certificate, and transforms that choose what is signed', async () => {
    const certificate = { algorithm: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1', secret: idp.keys.certificatePem }
    expectRefused(await attempt({ signature: certificate }), 'weak_algorithm')
    for (const [from, to] of [
      ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256'],
      ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'urn:none'],
      ['http://www.w3.org/2001/04/xmlenc#sha256', 'urn:none'],
      ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/TR/1999/REC-xpath-19991116'],
      ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/TR/1999/REC-xslt-19991116'],
      ['http://www.w3.org/2001/10/xml-exc-c14n#', 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments'],
    ] as const) {
      expectRefused(await attempt({}, (xml) => xml.replace(`"${from}"`, `"${to}"`)), 'weak_algorithm')
    }
  })

  it('an assertion without Conditions is refused', async () => {
    expectRefused(await attempt({ hasConditions: false }), 'missing_conditions')
  })

  it('an expired assertion is refused', async () => {
    const past = { notBefore: minutes(-30), notOnOrAfter: minutes(-10) }
    expectRefused(await attempt({ ...past, subjectNotOnOrAfter: minutes(5) }), 'assertion_expired')
    expectRefused(await attempt(past), 'subject_confirmation_expired')
  })

  it('an assertion whose end is longer past than clocks may differ is refused', async () => {
    const ended = (ago: number) => ({
      notBefore: minutes(-30),
      notOnOrAfter: minutes(-ago),
      subjectNotOnOrAfter: minutes(5),
    })
    expectRefused(await attempt(ended(3)), 'assertion_expired')
    expect((await attempt(ended(1))).status).to.equal(302)
  })

  it('an assertion that does not hold yet is refused', async () => {
    expectRefused(await attempt({ notBefore: minutes(10), notOnOrAfter: minutes(20) }), 'assertion_not_yet_valid')
  })

  it('a replayed assertion is refused', async () => {
    const { request, cookie } = await departToSaml(server, tenant, idp)
    const response = idp.answer(request)
    const answers = await Promise.all([1, 2, 3].map(async () => await postResponse(server, response, { cookie })))
    expect(answers.map(({ status }) => status)).to.have.members([302, 401, 401])
    expect((await postResponse(server, response, { cookie })).status).to.equal(401)
    // Not under a new request either.
    const assertionId = '_always_the_same'
    expect((await attempt({ assertionId })).status).to.equal(302)
    expectRefused(await attempt({ assertionId }), 'assertion_replayed')
  })

  it('SHA-1 is refused', async () => {
    expectRefused(
      await attempt({ signature: { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' } }),
      'weak_algorithm',
    )
    expectRefused(await attempt({ signature: { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' } }), 'weak_algorithm')
  })

  it('another recipient, destination or audience is refused', async () => {
    expectRefused(await attempt({ recipient: 'https://other.example.test/acs' }), 'recipient_mismatch')
    expectRefused(await attempt({ recipient: null }), 'recipient_mismatch')
    expectRefused(await attempt({ destination: 'https://other.example.test/acs' }), 'destination_mismatch')
    expectRefused(await attempt({ audience: 'https://other.example.test' }), 'audience_mismatch')
    expectRefused(await attempt({ audience: null }), 'audience_mismatch')
  })

  it('an unsigned response is refused, and one of a foreign key', async () => {
    expectRefused(await attempt({ signature: { over: 'nothing' } }), 'signature_verification_failed')
    const { request, cookie } = await departToSaml(server, tenant, idp)
    const impostor = new SamlIdp(idp.entityId)
    expectRefused(await postResponse(server, impostor.answer(request), { cookie }), 'signature_verification_failed')
  })

  it('an unsolicited response is refused, and one to a request that is unknown', async () => {
    expectRefused(await attempt({ inResponseTo: null }), 'unsolicited_response')
    expectRefused(await attempt({ inResponseTo: '_unknown' }), 'request_unknown')
  })

  it('a response in another browser than the one that asked is refused', async () => {
    const { request } = await departToSaml(server, tenant, idp)
    const response = idp.answer(request)
    expectRefused(await postResponse(server, response), 'request_unknown')
    const other = await departToSaml(server, tenant, idp)
    expectRefused(await postResponse(server, response, { cookie: other.cookie }), 'request_unknown')
  })

  it('a response for one tenant opens no session of another', async () => {
    const otherIdp = new SamlIdp()
    const other = await givenBusiness(server)
    await configureSaml(server, other, otherIdp)
    const { request, cookie } = await departToSaml(server, tenant, idp)
    // Of the other tenant's provider, to this tenant's request; and of this one's, hinted to the other tenant.
    expectRefused(await postResponse(server, otherIdp.answer(request), { cookie }), 'issuer_mismatch')
    const hinted = await postResponse(server, idp.answer(request), { cookie, relayState: `tenant:${other.id}` })
    expectRefused(hinted, 'issuer_mismatch')
  })

  it('a response without success, of another kind of confirmation, or encrypted is refused', async () => {
    expectRefused(await attempt({ status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }), 'status_not_success')
    const holder = 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key'
    expectRefused(await attempt({ method: holder }), 'missing_subject_confirmation')
    expectRefused(await attempt({ subjectNotOnOrAfter: null }), 'malformed_response')
    expectRefused(await attempt({ subjectInResponseTo: '_another' }), 'request_unknown')
    const encrypted = await attempt({}, (xml) => xml.replace(partsOf(xml).assertion, '<saml:EncryptedAssertion/>'))
    expectRefused(encrypted, 'encrypted_assertion')
  })

  it('a name that lasts for one sign-in only is refused, and one that no store could look up', async () => {
    const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
    expectRefused(await attempt({ nameId: '_one-time', nameIdFormat: transient }), 'transient_nameid')
    expectRefused(await attempt({ nameId: `${'a'.repeat(3000)}@example.test` }), 'malformed_response')
    expectRefused(await attempt({ assertionId: `_${'a'.repeat(3000)}` }), 'malformed_response')
  })

  it('a document that is made to keep the parser busy is refused before it is parsed', async () => {
    const many = (count: number, part: (index: number) => string) =>
      Array.from({ length: count }, (_, i) => part(i)).join('')
    for (const [name, xml] of Object.entries({
      'names without number': `<r>${many(20_000, (index) => `<a${index}></a${index}>`)}</r>`,
      'namespaces in one another': many(12_000, (index) => `<a xmlns:b${index}="x">`) + '</a>'.repeat(12_000),
      'elements without number': `<r>${'<a/>'.repeat(80_000)}</r>`,
      'elements in one another': '<a>'.repeat(8000) + '</a>'.repeat(8000),
    })) {
      const answer = await postResponse(server, base64(xml), { relayState: `tenant:${tenant.id}` })
      expect(answer.body.details, name).to.deep.equal({ reason: 'malformed_response' })
    }
  })

  it('a document type is refused before its entities are read', async () => {
    const bomb = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    expectRefused(await attempt({}, (xml) => bomb + xml), 'malformed_response')
  })
})
