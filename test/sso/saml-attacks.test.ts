import { expect } from 'chai'
import type { Answer, ApiTenant } from '../support/api.ts'
import { SamlIdp, type AssertionWishes } from '../support/identity/saml-idp.ts'
import {
  configureSaml,
  cookieOf,
  departToSaml,
  givenBusiness,
  postResponse,
  useSsoServer,
} from '../support/identity/sso.ts'

const minutes = (count: number) => new Date(Date.now() + count * 60_000)
const text = (base64: string) => Buffer.from(base64, 'base64').toString('utf8')
const base64 = (xml: string) => Buffer.from(xml, 'utf8').toString('base64')

describe('attacks on the SAML consumer', () => {
  const server = useSsoServer()
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
  const assertionOf = (xml: string) => /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? ''
  const forged = (assertion: string) =>
    assertion
      .replace(/<ds:Signature.*<\/ds:Signature>|<Signature.*<\/Signature>/s, '')
      .replace('ada@example.test', 'eve@example.test')
      .replace(/ID="[^"]+"/, 'ID="_forged"')

  it('a genuine response is taken, so that the refusals below mean something', async () => {
    expect((await attempt({})).status).to.equal(302)
  })

  it('signature wrapping is refused', async () => {
    const places: readonly ((xml: string, assertion: string) => string)[] = [
      // Before the signed one, and after it.
      (xml, assertion) => xml.replace(assertion, forged(assertion) + assertion),
      (xml, assertion) => xml.replace(assertion, assertion + forged(assertion)),
      // The signed one inside the forged one, in an extension, in the signature, and in a wrapper of another name.
      (xml, assertion) =>
        xml.replace(assertion, forged(assertion).replace('</saml:Assertion>', `${assertion}</saml:Assertion>`)),
      (xml, assertion) =>
        xml
          .replace(assertion, forged(assertion))
          .replace('<samlp:Status>', `<samlp:Extensions>${assertion}</samlp:Extensions><samlp:Status>`),
      (xml, assertion) => {
        const signature = /<Signature.*<\/Signature>/s.exec(assertion)?.[0] ?? ''
        const original = assertion.replace(signature, '')
        const holding = signature.replace('</Signature>', `<Object>${original}</Object></Signature>`)
        return xml.replace(assertion, forged(assertion).replace('</saml:Issuer>', `</saml:Issuer>${holding}`))
      },
      (xml, assertion) =>
        xml.replace(assertion, `<x:Wrapper xmlns:x="urn:x">${assertion}</x:Wrapper>${forged(assertion)}`),
      (xml, assertion) => xml.replace(assertion, `${assertion}<Assertion xmlns="urn:other"/>`),
      // The forged one takes the id that the signature names.
      (xml, assertion) => {
        const id = /ID="([^"]+)"/.exec(assertion)?.[1] ?? ''
        return xml.replace(assertion, forged(assertion).replace('_forged', id) + assertion)
      },
    ]
    for (const [index, wrap] of places.entries()) {
      const answer = await attempt({}, (xml) => wrap(xml, assertionOf(xml)))
      expect(answer.status, `place ${index}: ${answer.text}`).to.equal(401)
      expect(answer.body.details.reason, `place ${index}`).to.equal('signature_verification_failed')
      expect(cookieOf(answer, 'svc_session')).to.equal('')
    }
  })

  it('content placed inside the signature is not read', async () => {
    const answer = await attempt({}, (xml) =>
      xml.replace(
        '</Signature>',
        '<saml:Subject><saml:NameID>eve@example.test</saml:NameID></saml:Subject></Signature>',
      ),
    )
    // The digest leaves the signature out; so does whoever reads.
    if (answer.status === 302) {
      const who = await server.database.db.query(`select 1 from members where email = 'eve@example.test'`)
      expect(who).to.deep.equal([])
      return
    }
    expectRefused(answer, 'signature_verification_failed')
  })

  it('a comment inside the name does not shorten it', async () => {
    const answer = await attempt({ nameId: 'ada@example.test.evil.test' }, (xml) =>
      xml.replace('ada@example.test.evil.test', 'ada@example.test<!-- -->.evil.test'),
    )
    expect(answer.status).to.equal(302)
    const rows = await server.database.db.query<{ email: string }>(
      `select email from external_identities where tenant_id = $1 and subject = 'ada@example.test.evil.test'`,
      [tenant.id],
    )
    expect(rows).to.deep.equal([{ email: 'ada@example.test.evil.test' }])
  })

  it('an assertion without Conditions is refused', async () => {
    expectRefused(await attempt({ hasConditions: false }), 'missing_conditions')
  })

  it('an expired assertion is refused', async () => {
    const past = { notBefore: minutes(-30), notOnOrAfter: minutes(-10) }
    expectRefused(await attempt({ ...past, subjectNotOnOrAfter: minutes(5) }), 'assertion_expired')
    expectRefused(await attempt(past), 'subject_confirmation_expired')
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

  it('a response for one tenant signs nobody in to another', async () => {
    const otherIdp = new SamlIdp()
    const other = await givenBusiness(server)
    await configureSaml(server, other, otherIdp)
    const { request, cookie } = await departToSaml(server, tenant, idp)
    // Of the other tenant's provider, to this tenant's request; and of this one's, hinted to the other tenant.
    expectRefused(await postResponse(server, otherIdp.answer(request), { cookie }), 'issuer_mismatch')
    const hinted = await postResponse(server, idp.answer(request), { cookie, relayState: `tenant:${other.id}` })
    expectRefused(hinted, 'issuer_mismatch')
  })

  it('a document type is refused before its entities are read', async () => {
    const bomb = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    expectRefused(await attempt({}, (xml) => bomb + xml), 'malformed_response')
  })
})
