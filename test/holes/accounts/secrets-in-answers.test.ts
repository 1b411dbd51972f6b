import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import type { Route } from '../../../api/kernel/route.ts'
import { ADMIN_KEY, givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { endingPathOf, headersFor } from '../../support/wire/declared-routes.ts'
import { mailedToken } from '../../support/mail/mails.ts'
import { mailedInvitation } from '../../support/mail/mailed-tokens.ts'
import { hiddenBytesOf, writtenForms } from '../../support/people/hidden-bytes.ts'
import { givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const PROVIDER_KEY = 'sk-of-a-provider-0123456789abcdef'
const INVITED = 'invited@example.test'

describe('export, health and admin answers', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    settings: { isMailConfigured: true, metricsToken: 'token-of-the-scraper' },
  })
  let tenant: ApiTenant
  let scimToken = ''
  /** By what is hidden, the text that no answer may hold. */
  const secrets = new Map<string, string>()

  /** The half of a key that proves; the other half is shown. */
  const proofOf = (key: string): string => key.split('_').at(-1) ?? key

  before(async () => {
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'business')
    const post = async (path: string, body: object = {}, headers: Record<string, string> = {}) => {
      const answer = await api.call('POST', path, { key: tenant.key, body, headers })
      if (answer.status >= 400) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
      return answer
    }
    const { jobId } = await givenProgramVersion(setUpOperation(database.db, tenant.id))
    secrets.set('primary key', proofOf(tenant.key))
    const scoped = await post('/v1/account/scoped-keys', { scopes: ['run'], label: 'runner' })
    secrets.set('scoped key', proofOf(scoped.body.api_key))
    scimToken = (await post('/v1/account/sso/scim-token')).body.scim_token
    secrets.set('SCIM token', proofOf(scimToken))
    const [session = ''] = (
      await api.call('POST', '/v1/signin', { body: { api_key: tenant.key } })
    ).headers.getSetCookie()
    secrets.set('session', /svc_session=([\w-]+)/.exec(session)?.[1] ?? '')
    await post('/v1/account/provider-keys', { provider: 'openai', value: PROVIDER_KEY })
    secrets.set('provider key', PROVIDER_KEY)
    await post('/v1/account/rotate-receipt-secret')
    const shared = await post('/v1/share-links', { target_id: jobId }, { 'idempotency-key': 'once' })
    secrets.set('share link', shared.body.url.split('.').at(-1))
    await post(`/v1/orgs/${tenant.id}/invites`, { email: INVITED })
    secrets.set('invitation', await mailedInvitation(database.db, INVITED))
    const { email } = (await api.call('GET', '/v1/account', { key: tenant.key })).body
    secrets.set('mailed token', await mailedToken(database.db, email, 'verify'))
    secrets.set('admin key', ADMIN_KEY).set('metrics token', 'token-of-the-scraper')
    const { settings } = api.server.services
    for (const form of writtenForms(settings.masterKey)) secrets.set(`master key ${form.slice(0, 4)}`, form)
    secrets.set('address of the database', new URL(database.url).host)
    const hidden = await hiddenBytesOf(database.db, tenant.id)
    expect(hidden.length).to.be.greaterThan(12)
    for (const [index, bytes] of hidden.entries()) {
      for (const form of writtenForms(bytes)) secrets.set(`bytes ${index} ${form.slice(0, 4)}`, form)
    }
  })

  /** The path with the tenant's own id where it is an organisation's. */
  const ownPathOf = (route: Route): string =>
    route.path.startsWith('/v1/orgs/{id}') ? route.path.replace('{id}', tenant.id) : endingPathOf(route)

  it('hold no secret, no hash and no sealed value, whatever route is read', async () => {
    for (const [what, text] of secrets) expect(text.length, what).to.be.greaterThan(8)
    const reads = ROUTES.filter(({ method }) => method === 'get')
    const answered: string[] = []
    for (const route of reads) {
      const headers = headersFor(route, { key: tenant.key, scimToken })
      const isScraper = route.path === '/metrics'
      // It repeats the key that it is asked with, so that its text runs as pasted.
      const repeatsKey = route.path === '/v1/capture/snippet'
      const answer = await api.call('GET', ownPathOf(route), {
        headers: isScraper ? { authorization: 'Bearer token-of-the-scraper' } : repeatsKey ? {} : headers,
      })
      expect(answer.status, route.path).to.not.equal(500)
      if (answer.status < 300) answered.push(route.path)
      const told = answer.text + JSON.stringify([...answer.headers])
      for (const [what, text] of secrets) expect(told.includes(text), `${route.path} tells: ${what}`).to.equal(false)
      expect(told, route.path)
        .to.not.match(/"[^"]*\/(?:tmp|home|root|var|etc|usr)\/|postgres(?:ql)?:\/\//)
        .and.not.contain(process.cwd())
    }
    expect(answered).to.include.members([
      '/health',
      '/v1/health',
      '/metrics',
      '/metrics/extended',
      '/product-readiness-closeout.json',
      '/v1/account',
      '/v1/account/export',
      '/v1/account/compliance-package',
      '/v1/account/audit-log',
      '/v1/account/keys',
      '/v1/account/scoped-keys',
      '/v1/account/provider-keys',
      '/v1/account/receipt-secrets',
      '/v1/account/sessions',
      '/v1/account/sso/status',
      '/v1/share-links',
      '/v1/orgs/{id}/invites',
      '/v1/orgs/{id}/audit',
      '/scim/v2/Users',
      '/v1/admin/tenants',
      '/v1/admin/audit',
      '/v1/admin/diagnostics',
      '/v1/admin/health',
      '/v1/admin/stats',
      '/v1/admin/control-files',
      '/v1/admin/compile-jobs',
    ])
  })
})
