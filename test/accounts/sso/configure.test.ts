import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { givenApiTenant, type ApiTenant } from '../../support/api.ts'
import { givenPlan } from '../../support/people/given-members.ts'
import { SamlIdp } from '../../support/identity/saml-idp.ts'
import { configureSaml, departToSaml, givenBusiness, postResponse, useSsoServer } from '../../support/identity/sso.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('the configuration of single sign-on', () => {
  const server = useSsoServer()
  const { api, database } = server
  let web: Server
  let metadataUrl: string
  const idp = new SamlIdp()
  before(async () => {
    web = createServer((request, response) => {
      response.writeHead(request.url === '/metadata' ? 200 : 404).end(idp.metadata())
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const address: AddressInfo | string | null = web.address()
    metadataUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/metadata`
  })
  after(() => web.close())
  const configure = async (tenant: ApiTenant, body: Readonly<Record<string, unknown>>) =>
    await api.call('POST', '/v1/account/sso/configure', { key: tenant.key, body })

  it('pins what metadata says, keeps what is not named, and tells no secret', async () => {
    const tenant = await givenBusiness(server)
    const first = await configure(tenant, { metadata_url: metadataUrl, domains: ['example.test'] })
    expect(first.status, first.text).to.equal(200)
    expect(first.body.config).to.include({
      provider: 'saml-generic',
      protocol: 'saml',
      idp_entity_id: idp.entityId,
      sso_url: idp.ssoUrl,
      metadata_url: metadataUrl,
      idp_cert_configured: true,
      default_role: 'member',
      secret_values_included: false,
    })
    const second = await configure(tenant, { provider: 'okta', default_role: 'viewer', jit_provisioning: false })
    expect(second.body.config).to.deep.include({
      provider: 'okta',
      default_role: 'viewer',
      jit_provisioning: false,
      domains: ['example.test'],
      idp_entity_id: idp.entityId,
      idp_cert_sha256: first.body.config.idp_cert_sha256,
    })
    const status = await api.call('GET', '/v1/account/sso/status', { key: tenant.key })
    expect(status.body).to.include({
      enabled: true,
      configured: true,
      entitled: true,
      assertion_consumer_status: 'ready',
    })
    expect(status.text).not.to.include('BEGIN')
  })

  it('takes certificate, entity id and address in place of metadata', async () => {
    const tenant = await givenBusiness(server)
    const own = new SamlIdp()
    const byHand = { idp_cert_pem: own.keys.certificatePem, idp_entity_id: own.entityId }
    expect((await configure(tenant, byHand)).body.details.fields[0].field).to.equal('sso_url')
    expect((await configure(tenant, { ...byHand, sso_url: own.ssoUrl })).status).to.equal(200)
  })

  it('refuses settings that could not sign a person in, each by its name', async () => {
    const tenant = await givenBusiness(server)
    const own = new SamlIdp()
    const cases: readonly (readonly [Readonly<Record<string, unknown>>, number, string])[] = [
      [{}, 400, 'identity_metadata_required'],
      [{ default_role: 'member' }, 400, 'identity_metadata_required'],
      [{ provider: 'ldap', metadata_xml: own.metadata() }, 400, 'unsupported_provider'],
      [{ metadata_xml: '<nothing/>' }, 400, 'invalid_identity_config'],
      [{ metadata_xml: own.metadata(), idp_entity_id: 'another' }, 400, 'invalid_identity_config'],
      [{ metadata_xml: own.metadata(), metadata_url: metadataUrl }, 400, 'invalid_identity_config'],
      [
        { idp_cert_pem: own.keys.privateKeyPem, idp_entity_id: 'x', sso_url: own.ssoUrl },
        400,
        'invalid_identity_config',
      ],
      [{ metadata_xml: own.metadata(), domains: ['not a domain'] }, 400, 'invalid_identity_config'],
      [
        { metadata_xml: own.metadata().replaceAll(own.ssoUrl, 'javascript:alert(1)//') },
        400,
        'invalid_identity_config',
      ],
      [{ oidc_issuer: 'https://issuer.example.test' }, 400, 'invalid_identity_config'],
      [{ metadata_xml: own.metadata(), default_role: 'owner' }, 400, 'validation_failed'],
      [{ metadata_url: metadataUrl.replace('/metadata', '/gone') }, 502, 'identity_provider_failed'],
    ]
    for (const [body, status, code] of cases) {
      const answer = await configure(tenant, body)
      expect([answer.status, answer.body.code], JSON.stringify(body).slice(0, 200)).to.deep.equal([status, code])
    }
    const after = await api.call('GET', '/v1/account/sso/status', { key: tenant.key })
    expect(after.body).to.include({ configured: false, config: null, assertion_consumer_status: 'not_configured' })
  })

  it('lets several organisations name one provider', async () => {
    const own = new SamlIdp()
    for (let n = 0; n < 2; n++) await configureSaml(server, await givenBusiness(server), own)
  })

  it('gives a provider free with the account that it belonged to', async () => {
    const own = new SamlIdp()
    const tenant = await givenBusiness(server)
    await configureSaml(server, tenant, own)
    const [row] = await sendSql<{ name: string }>(database.db, 'select name from tenants where id = $1', [tenant.id])
    const confirm = { confirm: `DELETE ${row?.name}` }
    const deleted = await api.call('POST', '/v1/account/delete', { key: tenant.key, body: confirm })
    expect(deleted.status, deleted.text).to.equal(200)
    await configureSaml(server, await givenBusiness(server), own)
  })

  it('comes with a plan, and takes the rights of an admin', async () => {
    const free = await givenApiTenant(api)
    expect((await configure(free, { metadata_xml: idp.metadata() })).status).to.equal(402)
    const status = await api.call('GET', '/v1/account/sso/status', { key: free.key })
    expect(status.status).to.equal(200)
    expect(status.body).to.include({ entitled: false, assertion_consumer_status: 'not_entitled' })
    const tenant = await givenBusiness(server)
    const minted = await api.call('POST', '/v1/account/scoped-keys', {
      key: tenant.key,
      body: { label: 'directory', scopes: ['identity:write', 'identity:read'] },
    })
    expect(minted.status, minted.text).to.equal(200)
    const narrow = { id: tenant.id, key: minted.body.api_key }
    expect((await configure(narrow, { metadata_xml: idp.metadata() })).body.code).to.equal('insufficient_scope')
    const token = await api.call('POST', '/v1/account/sso/scim-token', { key: narrow.key })
    expect(token.body.code).to.equal('insufficient_scope')
  })

  it('refuses addresses inside the network by default', async () => {
    const tenant = await givenBusiness(guarded)
    const answer = await guarded.api.call('POST', '/v1/account/sso/configure', {
      key: tenant.key,
      body: { metadata_url: 'https://169.254.169.254/latest/meta-data' },
    })
    expect([answer.status, answer.body.code]).to.deep.equal([400, 'invalid_identity_config'])
  })
  const guarded = useSsoServer({ settings: { allowsPrivateEgress: false } })

  it('publishes metadata under the configured address, whatever the Host header says', async () => {
    const answer = await api.call('GET', '/v1/account/saml/metadata', { headers: { host: 'evil.test' } })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.include('application/samlmetadata+xml')
    expect(answer.text).to.include('EntityDescriptor').and.not.include('evil.test')
    expect(answer.text).to.include(`Location="${api.url}/v1/account/saml/acs"`)
  })

  it('ends when the plan does', async () => {
    const tenant = await givenBusiness(server)
    const own = new SamlIdp()
    await configureSaml(server, tenant, own)
    const { request, cookie } = await departToSaml(server, tenant, own)
    await givenPlan(database.db, tenant.id, 'pro')
    const ended = await postResponse(server, own.answer(request), { cookie })
    expect([ended.status, ended.body.code, ended.body.details]).to.deep.equal([402, 'enterprise_only', undefined])
  })
})
