import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('teachers of distilled captures', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('are resolved before a run is accepted, and refused with the field', async () => {
    const { key } = await givenApiTenant(api)
    const items = ['ada', 'bob', 'cleo', 'dora'].map((name) => ({
      input: `Write the name in capitals: ${name}`,
      output: name.toUpperCase(),
    }))
    const log = { namespace: 'names', provider: 'openai', model: 'm', items }
    expect((await api.call('POST', '/v1/capture/log', { key, body: log })).status).to.be.oneOf([200, 201])
    for (const [teacher, status, code] of [
      ['nosuchprovider:whatever', 400, 'unknown_model'],
      ['anthropic:claude-sonnet-4-5', 503, 'no_provider_key'],
    ] as const) {
      const body = { namespace: 'names', teacher }
      const refused = await api.call('POST', '/v1/distill/from-captures', { key, body })
      expect([refused.status, refused.body.code, refused.body.details.fields[0].field], refused.text).to.deep.equal([
        status,
        code,
        'teacher',
      ])
    }
    expect((await api.call('GET', '/v1/distill/runs', { key })).body.runs).to.deep.equal([])
  })
})
