import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { loadEnvironment } from '../../../config/environment.ts'
import { failBuild } from '../../../db/learn/datasets/run-build.ts'
import { captureSamples, type Sample } from '../../holes/requests/samples/capture-samples.ts'
import { learnSamples } from '../../holes/requests/samples/learn-samples.ts'
import { givenOpenQuestion } from '../../holes/requests/given-open-question.ts'
import { givenApiTenant, NO_TEMPORAL, TEST_LIMITS, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
const EXAMPLES = Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))
const KEPT_MS = TEST_LIMITS.idempotency_hours * 3_600_000

/** The key of a batch names it as long as it is kept, see the guide of batches. */
const KEPT_LONGER = ['runBatch']

/** The id of the record that a call made. */
function idIn({ body, headers }: Answer): string | undefined {
  const { job_id: job, evaluation_id: evaluation, dataset_id: dataset, version, id } = body
  const made = dataset === undefined ? undefined : `${dataset}/v${version}`
  return job ?? made ?? evaluation ?? headers.get('x-svc-batch-id') ?? id
}

describe('an Idempotency-Key whose hours have passed', () => {
  const database = useDatabase()
  let aheadMs = 0
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    now: () => new Date(Date.now() + aheadMs),
    limits: { quota_free: 100_000, sync_dataset_wait_s: 0.05 },
    settings: {
      publicUrl: 'http://svc.test',
      baseFolders: [BASES],
      rentals: { ...loadEnvironment({}).rentals, image: 'svc/trainer' },
    },
  })
  let tenant: ApiTenant
  let samples: Readonly<Record<string, Sample | (() => Promise<Sample>)>>
  beforeEach(async () => {
    aheadMs = 0
    tenant = await givenApiTenant(api)
    await givenPlan(database.db, tenant.id, 'business')
    const rows = (table: string) => async () => {
      const [row] = await sendSql<{ n: number }>(
        database.db,
        `select count(*) as n from ${table} where tenant_id = $1`,
        [tenant.id],
      )
      return Number(row?.n ?? 0)
    }
    const version = async () =>
      await givenProgramVersion(setUpOperation(database.db, tenant.id), api.server.services.signingKeys.current)
    const body = { task: 'Write it in capitals', mode: 'async', base_model: 'none', examples: EXAMPLES }
    const effects = rows('compile_jobs')
    samples = {
      ...captureSamples(api, tenant, { rows, lines: rows }),
      ...learnSamples(api, tenant, { rows, lines: rows }),
      createCompile: { path: '/v1/compile', body, effects },
      startCompile: { path: '/v1/compile/start', body, effects },
      compileBuilder: { path: '/v1/builder/compile', body: { task: body.task, examples: EXAMPLES }, effects },
      compileAgain: async () => {
        const { path } = await givenOpenQuestion(api, { tenant, db: database.db, body })
        return { path: path.replace(/answers$/, 'again'), body, effects }
      },
      runBatch: async () => ({
        path: '/v1/run/batch',
        body: { concept_id: (await version()).conceptId, inputs: ['x'] },
        effects: rows('run_batches'),
      }),
      // Of the kernel's own store, one route stands for all.
      createShareLink: async () => ({
        path: '/v1/share-links',
        body: { target_id: (await version()).jobId },
        effects: rows('share_links'),
      }),
    }
  })

  const handled = ROUTES.filter(({ idempotency }) => idempotency === 'handler').map(({ operationId }) => operationId)
  for (const route of ['createShareLink', ...handled]) {
    const isKeptLonger = KEPT_LONGER.includes(route)
    it(`${isKeptLonger ? 'still names the first call' : 'makes a new call'} at ${route}`, async () => {
      const given = samples[route]
      if (given === undefined) throw new Error(`${route} settles its own keys: give it a sample`)
      const { path, body, form, effects } = typeof given === 'function' ? await given() : given
      const before = await effects()
      const send = async () => {
        const answer = await api.call('POST', path, {
          ...(form === undefined ? { body } : { raw: form() }),
          headers: { 'x-api-key': tenant.key, 'idempotency-key': 'k-1' },
        })
        expect(answer.status, answer.text).to.be.within(200, 202)
        return idIn(answer)
      }
      const first = await send()
      expect(first).to.be.a('string')
      await failBuilds()
      // A failed build is answered by its error, so the clock moves on without another call.
      const isBuild = first?.includes('/v') === true
      aheadMs = KEPT_MS - 60_000
      if (!isBuild) expect(await send()).to.equal(first)
      expect((await effects()) - before).to.equal(1)
      aheadMs = KEPT_MS + 1000
      const later = await send()
      if (isKeptLonger) expect(later).to.equal(first)
      else expect(later).to.not.equal(first)
      expect((await effects()) - before).to.equal(isKeptLonger ? 1 : 2)
    })
  }

  /** Ends the builds that wait, as a workflow does that found no rows. */
  async function failBuilds(): Promise<void> {
    const builds = await sendSql<{ datasetId: string; version: number }>(
      database.db,
      `select dataset_id as "datasetId", version from dataset_versions where tenant_id = $1 and finished_at is null`,
      [tenant.id],
    )
    for (const build of builds) {
      await failBuild(setUpOperation(database.db, tenant.id), build, { code: 'empty_dataset', message: 'no rows' })
    }
  }
})
