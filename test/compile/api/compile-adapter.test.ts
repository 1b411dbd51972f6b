import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openBases } from '../../../core/compile/runtime/bases.ts'
import { verifyByRecomputation } from '../../../core/compile/archive/recompute/recompute.ts'
import { givenApiTenant, readEvents, useApi } from '../../support/api.ts'
import { stockNotes } from '../../support/archives/stock-notes.ts'
import { useService } from '../../support/workflows/service.ts'

const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))

/**
 * Measured K: 0.65. The floor leaves room for the arithmetic of another processor, which
 * changes a few answers; no program and no classifier gets beyond 0.
 */
const FLOOR = 0.5

describe('a compile that only an adapter can do', () => {
  const service = useService({ baseFolders: [BASES] })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [BASES] },
  })

  it('fits one on the base of the project, and what it signed answers, here and offline', async function () {
    this.timeout(240_000)
    const { key } = await givenApiTenant(api)
    const notes = stockNotes(180)
    const done = await api.call('POST', '/v1/compile', {
      key,
      body: {
        task: 'Write the order line that the note means',
        examples: notes.slice(0, 140),
        k_score_floor: FLOOR,
        lora: { epochs: 5, learning_rate: 0.008 },
        mode: 'async',
      },
    })
    expect(done.status, done.text).to.equal(202)
    const jobId: string = done.body.job_id
    const { events } = await readEvents(api.url, `/v1/compile/stream/${jobId}`, { key })
    const { body: job } = await api.call('GET', `/v1/compile/${jobId}`, { key })
    expect(job, JSON.stringify(job.error)).to.include({ status: 'completed', base_model: 'nano' })
    expect(job.k_score).to.be.at.least(FLOOR)

    const told = events.filter(({ event, data }) => event === 'metric' && data.training_step !== undefined)
    expect(told.at(-1)?.data.loss).to.be.below(told[0]?.data.loss / 4)
    expect(told.at(-1)?.data.tokens_per_second).to.be.greaterThan(0)

    const { bytes } = await api.call('GET', `/v1/compile/${jobId}/.svc`, { key })
    const bases = openBases({ folders: [BASES], memoryBytes: 2 ** 31, idleCloseMs: 60_000 })
    try {
      const verified = await verifyByRecomputation(bytes, { bases })
      expect(verified.ok, verified.detail).to.equal(true)
      expect(verified.checks.filter(({ status }) => status === 'fail')).to.deep.equal([])
      const recomputed = verified.checks.filter(({ name }) => name.startsWith('recomputed_'))
      expect(recomputed.map(({ name, status }) => `${name} ${status}`)).to.deep.equal([
        'recomputed_rows pass',
        'recomputed_judges pass',
        'recomputed_answers pass',
      ])
    } finally {
      await bases.close()
    }

    const unseen = notes.slice(140)
    const answers = await Promise.all(
      unseen.map(
        async ({ input }) =>
          await api.call('POST', '/v1/run', { key, body: { version_id: job.version_id, input, use_cache: false } }),
      ),
    )
    for (const answer of answers) expect(answer.status, answer.text).to.equal(200)
    const right = answers.filter(({ body }, place) => body.output === unseen[place]?.output)
    expect(right.length / unseen.length).to.be.at.least(0.4)
  })
})
