import { expect } from 'chai'
import { getCapture } from '../../../../db/gateway/captures/get-capture.ts'
import { listCaptures } from '../../../../db/gateway/captures/list-captures.ts'
import { verifyCaptures } from '../../../../db/gateway/captures/verify-captures.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { givenApiTenant } from '../../../support/api.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { MODELS, useGateway } from './given-gateway.ts'

describe('captures of calls', () => {
  const gateway = useGateway()
  const { api } = gateway
  const op = (tenantId: string) => setUpOperation(api.server.services.db, tenantId)
  const ask = async (key: string, text: string, headers: Record<string, string> = {}) =>
    await api.call('POST', '/v1/chat/completions', {
      key,
      headers,
      body: { model: MODELS.openai, messages: [{ role: 'user', content: text }] },
    })
  const stored = async (tenantId: string, count: number) =>
    await eventually(async () => {
      const page = await listCaptures(op(tenantId), {}, { limit: 100 })
      expect(page.items).to.have.length(count)
      return page.items
    })

  it('hold what was sent and answered, under the id that the answer names', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    gateway.answer({ texts: ['Four.'] })
    const answer = await ask(key, 'What is two and two?', { 'x-svc-namespace': 'sums' })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.headers.get('x-svc-capture-durable')).to.equal('true')
    const id = answer.headers.get('x-svc-capture-id') ?? ''
    await stored(tenantId, 1)
    const capture = await getCapture(op(tenantId), id)
    expect(capture).to.deep.include({
      namespace: 'sums',
      provider: 'openai',
      outcome: 'whole',
      status: 'pending',
      seq: 1,
    })
    expect(capture.content).to.deep.include({ prompt: 'user: What is two and two?', response: 'Four.' })
    expect(await verifyCaptures(op(tenantId), 'sums')).to.deep.include({ ok: true, chainLength: 1 })
    const outsider = await givenApiTenant(api)
    expect((await listCaptures(op(outsider.id), {}, { limit: 10 })).items).to.deep.equal([])
  })
})
