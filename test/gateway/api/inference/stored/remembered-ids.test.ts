import { expect } from 'chai'
import OpenAI from 'openai'
import { digestOfId } from '../../../../../core/gateway/record/hide-ids.ts'
import { getCapture } from '../../../../../db/gateway/captures/get-capture.ts'
import { listCaptures } from '../../../../../db/gateway/captures/list-captures.ts'
import { givenApiTenant } from '../../../../support/api.ts'
import { sendSql } from '../../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../../support/people/given-members.ts'
import { eventually } from '../../../../support/wire/eventually.ts'
import { startOtlpCollector, type OtlpCollector } from '../../../../support/wire/otlp-collector.ts'
import { MODELS, useGateway } from '../given-gateway.ts'

describe('ids of responses', () => {
  let collector: OtlpCollector
  before(async () => {
    collector = await startOtlpCollector()
  })
  const gateway = useGateway(
    { capture_commit_s: 0.2 },
    {
      get telemetry() {
        return { endpoint: collector.endpoint, headers: {}, serviceName: 'svc-of-the-test' }
      },
    },
  )
  after(async () => {
    await collector.close()
  })

  it('stand in captures, in cached answers and in spans as digests', async () => {
    const { id: tenantId, key } = await givenApiTenant(gateway.api)
    const body = { cache_mode: 'exact' }
    await gateway.api.call('PUT', '/v1/gateway/namespaces/default', { key, body })
    const client = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: key, maxRetries: 0 })
    const model = MODELS.openai
    const first = await client.responses.create({ model, input: 'Repeat ada@example.org' })
    const streamed = await client.responses
      .stream({ model, input: 'x', previous_response_id: first.id })
      .finalResponse()
    const [item] = first.output
    const reference = { type: 'item_reference' as const, id: item?.id ?? '' }
    const large = 'long '.repeat(80_000)
    const last = await client.responses.create({ model, input: [reference, { role: 'user', content: large }] })
    const { db } = gateway.api.server.services
    const op = setUpOperation(db, tenantId)
    await eventually(async () => expect((await listCaptures(op, {}, { limit: 10 })).items).to.have.length(3))
    const { items } = await listCaptures(op, {}, { limit: 10 })
    const contents = await Promise.all(items.map(async ({ id }) => (await getCapture(op, id)).content))
    const readCached = async () =>
      await sendSql(db, 'select answer from cached_answers where tenant_id = $1', [tenantId])
    await eventually(async () => expect(await readCached()).not.to.have.length(0))
    const cached = await readCached()
    // The end of the server exports what is left.
    await gateway.api.restart()
    const spans = JSON.stringify(collector.spans)
    const stored = JSON.stringify([contents, cached])
    const ids = [first.id, streamed.id, last.id, ...first.output.map(({ id }) => id ?? '')]
    for (const id of ids) {
      expect(stored).not.to.contain(id)
      expect(spans).not.to.contain(id)
    }
    for (const id of [first.id, streamed.id, last.id]) {
      expect(stored).to.contain(digestOfId(id))
      expect(spans).to.contain(digestOfId(id))
    }
    expect(stored).to.contain(digestOfId(reference.id))
  })
})
