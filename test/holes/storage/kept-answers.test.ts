import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'

/** A few answers of some hundred bytes, with their rows. */
const ROOM = 4000
const MOST_CALLS = 20

describe('the answers that are kept for calls with an Idempotency-Key', () => {
  const api = useApi({ limits: { stored_bytes_free: ROOM } })

  const snooze = async ({ key }: ApiTenant, idempotencyKey?: string) =>
    await api.call('POST', '/v1/account/next-actions/snooze', {
      key,
      body: { dismiss_key: 'a-proposal' },
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    })

  it('take no more than the plan stores; calls without a key and repeated calls go on', async () => {
    const [tenant, other] = [await givenApiTenant(api), await givenApiTenant(api)]
    const first = await snooze(tenant, 'call 0')
    expect(first.status).to.equal(200)
    let last = first
    for (let i = 1; i < MOST_CALLS && last.status === 200; i++) last = await snooze(tenant, `call ${i}`)
    expect([last.status, last.body.code]).to.deep.equal([429, 'rate_limited'])
    expect(Number(last.headers.get('retry-after'))).to.be.above(3600)
    expect((await snooze(tenant)).status).to.equal(200)
    expect((await snooze(tenant, 'call 0')).body).to.deep.equal(first.body)
    expect((await snooze(other, 'call 0')).status).to.equal(200)
  })
})
