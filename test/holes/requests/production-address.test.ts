import { expect } from 'chai'
import { useApi } from '../../support/api.ts'

describe('sign-in through other providers in production', () => {
  const CLIENT = { clientId: 'svc', clientSecret: 'secret of the client', issuer: 'http://127.0.0.1:1' }
  const api = useApi({ settings: { isProduction: true, oauth: { google: CLIENT } } })

  it('is closed until the operator names the public address', async () => {
    const start = await api.call('GET', '/v1/oauth/google/start', { headers: { host: 'evil.test' } })
    expect([start.status, start.body.code]).to.deep.equal([503, 'oauth_not_configured'])
    const { providers } = (await api.call('GET', '/v1/oauth/providers')).body
    expect(providers[0]).to.include({ id: 'google', configured: false })
    const metadata = await api.call('GET', '/v1/account/saml/metadata')
    expect([metadata.status, metadata.body.code]).to.deep.equal([503, 'saml_not_configured'])
  })
})
