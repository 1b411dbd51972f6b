import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { writeTinyBase } from '../../support/archives/tiny-bases.ts'
import { eventually } from '../../support/wire/eventually.ts'
import type { Hold } from '../../support/workflows/held-pool.ts'
import { nameExamples, useService } from '../../support/workflows/service.ts'

const WORDS = ['ice', 'tea', 'oil', 'tar', 'ink', 'fig', 'ash', 'elm', 'rye', 'jam', 'gum', 'hop']

/** Bodies of a compile whose program is found, and of one that fits an adapter. */
const COMPILE = { task: 'Write the name with the family name first', examples: nameExamples(), mode: 'async' }
const FIT = {
  task: 'Name the colour',
  examples: WORDS.map((word, place) => ({ input: `${word} ${place}`, output: WORDS[(place * 5 + 3) % 12] })),
  mode: 'async',
  base_model: 'tiny',
  k_score_floor: 0,
  recipe_kind: 'lora',
  lora: { epochs: 1, rank: 4 },
}
const ENOUGH = 1e12

describe('jobs that were accepted before the disk was full', () => {
  const spool = mkdtempSync(join(tmpdir(), 'svc-low-'))
  const bases = mkdtempSync(join(tmpdir(), 'svc-low-bases-'))
  let databaseBytes = ENOUGH
  const service = useService({ baseFolders: [bases] })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    limits: { storage_check_s: 0.05 },
    settings: {
      baseFolders: [bases],
      storage: {
        spoolDir: spool,
        captureDir: spool,
        get databaseBytes() {
          return databaseBytes
        },
      },
    },
  })
  let tenant: ApiTenant
  before(async () => {
    // It learns nothing worth while, quickly.
    await writeTinyBase(bases, 'tiny')
    tenant = await givenApiTenant(api)
  })
  after(async () => {
    for (const folder of [spool, bases]) await rm(folder, { recursive: true, force: true })
  })

  const call = async (method: string, path: string, body?: object): Promise<Answer> =>
    await api.call(method, path, { key: tenant.key, ...(body !== undefined && { body }) })
  const accepted = async (body: object): Promise<string> => {
    const { status, text, body: job } = await call('POST', '/v1/compile', body)
    expect(status, text).to.equal(202)
    return job.job_id
  }
  const refused = async (path: string, body: object): Promise<void> => {
    const { status, text, body: error } = await call('POST', path, body)
    expect([status, error.code], text).to.deep.equal([507, 'storage_full'])
  }
  const ready = async (jobId: string): Promise<void> => {
    let job = await call('GET', `/v1/compile/${jobId}`)
    await eventually(async () => {
      job = await call('GET', `/v1/compile/${jobId}`)
      expect(job.body.status).not.to.be.oneOf(['queued', 'running'])
    })
    expect(job.body.status, job.text).to.equal('completed')
  }
  const setRoom = async (bytes: number): Promise<void> => {
    databaseBytes = bytes
    await eventually(async () => {
      expect(await Promise.resolve(api.server.services.storage.room().isLow)).to.equal(bytes !== ENOUGH)
    })
  }

  it('end ready while new data is refused, and new jobs are accepted when there is room again', async () => {
    const jobs: string[] = []
    const holds: Hold[] = []
    for (const body of [COMPILE, FIT]) {
      const hold = service.hold()
      jobs.push(await accepted(body))
      await hold.reached
      holds.push(hold)
    }
    await setRoom(1)
    await refused('/v1/compile', COMPILE)
    for (const hold of holds) hold.release()
    for (const job of jobs) await ready(job)
    const [program = ''] = jobs
    await refused('/v1/exports', { artifact_id: program })
    await refused('/v1/compile', FIT)
    const { concept_id } = (await call('GET', `/v1/compile/${program}`)).body
    const run = await call('POST', '/v1/run', { concept_id, input: 'Ada Lovelace' })
    expect([run.status, run.body.output], run.text).to.deep.equal([200, 'Lovelace, Ada'])
    const fitted = await call('GET', `/v1/artifacts/${jobs[1]}`)
    expect(fitted.body.recipe_kind, fitted.text).to.equal('lora')

    await setRoom(ENOUGH)
    await ready(await accepted(COMPILE))
    expect((await call('POST', '/v1/exports', { artifact_id: program })).status).to.equal(202)
  }).timeout(240_000)
})
