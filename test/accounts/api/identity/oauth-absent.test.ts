import { expect } from 'chai'
import { useApi } from '../../../support/api.ts'

describe('sign-in through providers that are not configured', () => {
  const api = useApi()

  it('says so', async () => {
    for (const path of ['/v1/oauth/google/start', '/v1/oauth/github/start', '/v1/oauth/github/callback?state=x']) {
      const answer = await api.call('GET', path)
      expect([answer.status, answer.body.code], path).to.deep.equal([503, 'oauth_not_configured'])
    }
  })

  it('tells people so on the front page', async () => {
    const answer = await api.call('GET', '/v1/oauth/google/start', { headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, '/?oauth_error=oauth_not_configured'])
  })
})
