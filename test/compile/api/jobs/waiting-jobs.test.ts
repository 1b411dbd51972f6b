import { expect } from 'chai'
import { findRun } from '../../../../temporal/runs.ts'
import { givenApiTenant, readEvents, useApi } from '../../../support/api.ts'
import { parseExposition } from '../../../support/wire/exposition.ts'
import { nameExamples, useService } from '../../../support/workflows/service.ts'

describe('jobs that wait for their turn', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })

  it('are cancelled at once, without a workflow and a charge, and are counted in the metrics until then', async () => {
    const { id: tenantId, key } = await givenApiTenant(api)
    const post = async (path: string, body?: unknown) => await api.call('POST', path, { key, body })
    const submit = async (): Promise<string> =>
      (await post('/v1/compile', { task: 'Write the family name first', examples: nameExamples(), mode: 'async' })).body
        .job_id
    const usedUnits = async () => (await api.call('GET', '/v1/account', { key })).body.period.used
    const metrics = async () => {
      const { text } = await api.call('GET', '/metrics')
      return { text, ...parseExposition(text) }
    }

    const holds = [service.hold(), service.hold()]
    const running = [await submit(), await submit()]
    await Promise.all(holds.map(async (hold) => await hold.reached))
    const waiting = await submit()
    expect(await usedUnits()).to.equal(30)
    const busy = await metrics()
    expect(busy.value('svc_compile_jobs', { stage: 'k-sample', status: 'running' })).to.equal(2)
    expect(busy.value('svc_compile_jobs', { stage: 'queued', status: 'queued' })).to.equal(1)
    expect(busy.value('svc_compile_queue_depth', { state: 'waiting' })).to.equal(1)
    expect(busy.value('svc_compile_queue_depth', { state: 'running' })).to.equal(2)

    const cancelled = await post(`/v1/compile/${waiting}/cancel`)
    expect([cancelled.status, cancelled.body.status]).to.deep.equal([200, 'cancelled'])
    expect(await usedUnits()).to.equal(20)
    const { events } = await readEvents(api.url, `/v1/compile/stream/${waiting}`, { key })
    expect(events.map(({ event, data }) => [event, data.step ?? data.error_code])).to.deep.equal([
      ['hello', undefined],
      ['step.start', 'queued'],
      ['step.end', 'queued'],
      ['error', 'compile_cancelled'],
    ])

    // A place that becomes free goes to a job that still waits, not to the cancelled one.
    const next = await submit()
    await post(`/v1/compile/${running[0]}/cancel`)
    for (const hold of holds) hold.release()
    for (const jobId of [running[1], next]) {
      const { events: seen } = await readEvents(api.url, `/v1/compile/stream/${jobId}`, { key })
      expect(seen.at(-1)?.event).to.equal('done')
    }
    expect(await findRun(service.temporal, waiting)).to.equal('missing')
    expect(await usedUnits()).to.equal(20)

    const done = await metrics()
    for (const stage of ['queued', 'k-sample', 'verify', 'lora-fit', 'bundle', 'sign']) {
      const status = stage === 'queued' ? 'queued' : 'running'
      expect(done.value('svc_compile_jobs', { stage, status }), stage).to.equal(0)
    }
    for (const state of ['waiting', 'running', 'unstarted']) {
      expect(done.value('svc_compile_queue_depth', { state }), state).to.equal(0)
    }
    const compiles = { method: 'POST', route: '/v1/compile', status: '202' }
    expect(done.value('svc_http_requests_total', compiles)).to.equal(4)
    expect(done.value('svc_http_request_duration_seconds_count', compiles)).to.equal(4)
    expect(done.value('svc_http_request_duration_seconds_sum', compiles)).to.be.greaterThan(0)
    expect(done.text).not.to.contain(tenantId.slice('ten_'.length))
    expect(done.labels.filter((label) => /tenant|key|job|email/.test(label))).to.deep.equal([])
  })
})
