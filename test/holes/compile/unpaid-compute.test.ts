import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { loadEnvironment } from '../../../config/environment.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { ROUTES } from '../../../api/routes.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { requireCompute } from '../../../db/compile/compute/allowance.ts'
import { computeDayOf } from '../../../db/compile/compute/compute-day.ts'
import { computeOwnerOf } from '../../../db/compile/compute/compute-owner.ts'
import { shareOf } from '../../../db/compile/compute/compute-share.ts'
import { recordCompute } from '../../../db/compile/compute/record-compute.ts'
import { finishCancelled, finishFailed, finishGated } from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { givenJob, givenReady, givenTenant, limits, type GivenTenant } from '../../support/db/given.ts'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { givenApproved } from '../../support/people/given-belongings.ts'
import { givenHeldDataset } from '../../support/people/given-held-dataset.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { givenAdapterArtifact, givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { benchSamples } from '../requests/samples/bench-samples.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { submitJob, useService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
const GOLDEN = fileURLToPath(new URL('../../model/golden/qwen3', import.meta.url))
/** A task of an evaluation of a base. */
const EVAL_TASK =
  'task: capitals\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\noutput_type: generate_until\n'
const EXAMPLES = Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `IN ${i}` }))

describe('unpaid compute', () => {
  const set = limits({ unpaid_compute_s_day_free: 10, running_jobs_free: 100 })
  describe('of a day', () => {
    const test = useDatabase()

    const usedOf = async ({ tenant }: GivenTenant): Promise<number> => {
      const [row] = await sendSql<{ ms: number }>(
        test.db,
        'select coalesce(sum(used_ms), 0)::bigint as ms from unpaid_compute where tenant_id = $1',
        [tenant.id],
      )
      return row?.ms ?? 0
    }
    const codeOf = async (work: Promise<unknown>): Promise<string> =>
      await work.then(
        () => 'accepted',
        (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
      )
    const look = async ({ op, tenant }: GivenTenant, now = new Date()): Promise<string> =>
      await codeOf(requireCompute(op, { tenantId: tenant.id, limits: set, now }))

    it('is what jobs used that ended without an artifact, whatever way, once and with what arrives late', async () => {
      const tenant = await givenTenant(test.db)
      const { op } = tenant
      const gate = { limits: set, kScore: 0.1, evaluation: {}, failingRows: [], failingCount: 0, message: 'too low' }
      const ends = [
        async (jobId: string) => await finishGated(op, { ...gate, jobId }),
        async (jobId: string) =>
          await finishFailed(op, { jobId, limits: set, errorCode: 'compile_failed', errorMessage: 'it failed' }),
        async (jobId: string) => await finishCancelled(op, { jobId, limits: set }),
      ]
      for (const end of ends) {
        const { job } = await givenJob(op, { limits: set })
        await recordCompute(op, { jobId: job.id, ms: 1000, now: new Date() })
        await Promise.all([end(job.id), recordCompute(op, { jobId: job.id, ms: 500, now: new Date() }), end(job.id)])
        await recordCompute(op, { jobId: job.id, ms: 500, now: new Date() })
      }
      expect(await usedOf(tenant)).to.equal(6000)
      const { job } = await givenJob(op, { limits: set })
      await recordCompute(op, { jobId: job.id, ms: 60_000, now: new Date() })
      await givenReady(op, job.id, set)
      expect(await usedOf(tenant), 'an artifact is paid by units').to.equal(6000)
      expect(await look(tenant)).to.equal('accepted')
    })

    it('refuses every further compile with the time of the reset, however many come at once', async () => {
      const tenant = await givenTenant(test.db)
      const { job } = await givenJob(tenant.op, { limits: set })
      await recordCompute(tenant.op, { jobId: job.id, ms: 10_000, now: new Date() })
      expect(await look(tenant), 'a job that runs counts until it ends').to.equal('compute_exhausted')
      await finishCancelled(tenant.op, { jobId: job.id, limits: set })
      const calls = Array.from({ length: 20 }, async () => await codeOf(givenJob(tenant.op, { limits: set })))
      expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(['compute_exhausted']))
      const [row] = await sendSql<{ jobs: number }>(
        test.db,
        `select count(*) as jobs from compile_jobs where tenant_id = $1 and finished_at is null`,
        [tenant.tenant.id],
      )
      expect(row?.jobs).to.equal(0)
      const error: unknown = await givenJob(tenant.op, { limits: set }).catch((refusal: unknown) => refusal)
      if (!(error instanceof DomainError)) throw new Error('it was not refused')
      const resetsAt = new Date(String(error.details?.['resets_at']))
      expect(error.details).to.include({ used_seconds: 10, limit_seconds: 10 })
      expect([computeDayOf(new Date(resetsAt.getTime() - 1)), resetsAt.getTime() % 86_400_000]).to.deep.equal([
        computeDayOf(new Date()),
        0,
      ])
      expect(await look(tenant, resetsAt)).to.equal('accepted')
    })

    it('is weighed for all anonymous workspaces together, and for accounts by their plan', async () => {
      const [one, two] = [await givenTenant(test.db), await givenTenant(test.db)]
      const jobs = [(await givenJob(one.op)).job, (await givenJob(two.op)).job]
      const shares = async () =>
        await Promise.all(
          jobs.map(async ({ id, tenantId }) =>
            shareOf(await computeOwnerOf(tenantOf(test.db, tenantId), { jobId: id }), DEFAULT_LIMITS),
          ),
        )
      expect(new Set((await shares()).map(({ flow }) => flow)).size).to.equal(2)
      await sendSql(test.db, `update tenants set kind = 'anonymous' where id = any($1)`, [
        [one.tenant.id, two.tenant.id],
      ])
      const anonymous = await shares()
      expect(new Set(anonymous.map(({ flow }) => flow)).size).to.equal(1)
      expect(new Set(anonymous.map(({ member }) => member)).size).to.equal(2)
      await sendSql(test.db, `update tenants set kind = 'user', plan = 'pro' where id = $1`, [one.tenant.id])
      expect((await shares()).map(({ weight }) => weight)).to.deep.equal([4, 1])
    })
  })

  describe('used up', () => {
    const database = useDatabase()
    const api = useApi({
      stores: () => ({ database, temporal: NO_TEMPORAL }),
      // No worker builds the dataset.
      limits: { sync_dataset_wait_s: 0, sync_bakeoff_wait_s: 0 },
      settings: {
        baseFolders: [BASES],
        publicUrl: 'http://svc.test',
        rentals: { ...loadEnvironment({}).rentals, image: 'svc/trainer' },
      },
    })

    it('closes every route that starts unpaid work, and no other', async () => {
      const tenant = await givenApiTenant(api)
      const { id, key } = tenant
      const op = setUpOperation(database.db, id)
      const { job } = await givenJob(op)
      await finishFailed(op, { jobId: job.id, limits: set, errorCode: 'compile_failed', errorMessage: 'it failed' })
      const template_hash = await givenApproved(api, tenant)
      const dataset_id = await givenHeldDataset(api, tenant)
      const { jobId: program } = await givenProgramVersion(op, api.server.services.signingKeys.current)
      const adapter = await givenAdapterArtifact(op, GOLDEN, 'nano')
      const ofBase = { target: { base: 'nano' }, task: EVAL_TASK, data: { test: EXAMPLES } }
      const { evaluation_id: evaluation } = (await api.call('POST', '/v1/evals', { key, body: ofBase })).body
      await sendSql(database.db, `update evaluations set state = 'failed', finished_at = now() where id = $1`, [
        evaluation,
      ])
      await sendSql(database.db, 'insert into unpaid_compute (tenant_id, day, used_ms) values ($1, $2, $3)', [
        id,
        computeDayOf(new Date()),
        DEFAULT_LIMITS.unpaid_compute_s_day_free * 1000,
      ])
      for (const provider of ['gpu_pods', 'openai']) {
        const given = { provider, value: 'sk-a-key-of-the-provider-0123' }
        const kept = await api.call('POST', '/v1/account/provider-keys', { key, body: given })
        expect(kept.status, kept.text).to.be.within(200, 201)
      }
      const spec = { task: 'Write it in capitals', examples: EXAMPLES }
      const bakeoff = { dataset_id, contestants: ['cache', 'base:nano'] }
      const bodies: Record<string, object> = {
        createCompile: { ...spec, mode: 'async' },
        startCompile: spec,
        compileBuilder: spec,
        compileAgain: { ...spec, mode: 'async' },
        compileOnCloud: { backend: 'gpu_pods', confirm: true, budget_usd: 5, base_model: 'nano', spec },
        autoSynthesize: { template_hash },
        createEvaluation: ofBase,
        resumeEvaluation: {},
        runBakeoff: bakeoff,
        createBakeoff: bakeoff,
        measureInference: { model: 'nano' },
        analyzeExperts: { artifact_path: adapter },
      }
      const runs = benchSamples(api, tenant, { rows: () => async () => 0, artifact: async () => '' })
      for (const [operationId, given] of Object.entries(runs)) {
        const { body } = typeof given === 'function' ? await given() : given
        bodies[operationId] = { ...Object(body), artifact_id: undefined, base: 'nano' }
      }
      const closed = ROUTES.filter(({ errors }) => errors.includes('compute_exhausted'))
      expect(closed.map(({ operationId }) => operationId)).to.include.members(Object.keys(bodies))
      const compiling = ROUTES.filter(({ method, scope, bodyLimit }) => {
        return method === 'post' && scope === 'compile:write' && bodyLimit === 'inline_body_bytes'
      })
      expect(closed).to.include.members(compiling)
      for (const route of closed) {
        const body = bodies[route.operationId]
        if (body === undefined) throw new Error(`${route.operationId} needs a body here`)
        const path = route.path.replace('{id}', route.operationId === 'resumeEvaluation' ? evaluation : job.id)
        const answer = await api.call('POST', path, { key, body })
        expect([answer.status, answer.body.code], `${route.path} ${answer.text}`).to.deep.equal([
          429,
          'compute_exhausted',
        ])
        expect(answer.body.details).to.include.keys('resets_at')
        expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 86_400)
      }
      expect((await api.call('GET', '/v1/compile', { key })).status).to.equal(200)
      for (const [path, body] of [
        ['/v1/evals', { ...ofBase, target: { artifact_id: program }, task: EVAL_TASK }],
        ['/v1/bakeoffs', { dataset_id, contestants: ['cache', 'rule'] }],
        ['/v1/eval/gate', { candidate_artifact: adapter, baseline_artifact: program, rows: EXAMPLES }],
      ] as const) {
        const answer = await api.call('POST', path, { key, body })
        expect(answer.status, `${path} of a program ${answer.text}`).to.be.within(200, 202)
      }
    })
  })

  describe('of a job that runs', () => {
    const service = useService({
      baseFolders: [BASES],
      change: (deps) => ({ ...deps, limits: { ...DEFAULT_LIMITS, unpaid_compute_s_day_free: 2 } }),
    })

    it('ends the job when it is used up, although the tenant has nothing else', async function () {
      this.timeout(120_000)
      const { op } = await givenTenant(service.database.db)
      const rows = Array.from({ length: 40 }, (_, i) => ({
        input: `thing ${(i * 31) % 97}`,
        output: `w${(i * 57) % 89}`,
      }))
      const choices = { recipe_kind: 'lora', lora: { epochs: 100 } }
      const { job } = await submitJob(op, { examples: rows, floor: 0, baseModel: 'nano', choices })
      await service.deps.workflows.start(job.id)
      await service.temporal.client.workflow
        .getHandle(job.id)
        .result()
        .catch(() => undefined)
      const ended = await findJob(op, job.id)
      expect([ended.status, ended.errorCode]).to.deep.equal(['failed', 'compute_exhausted'])
      expect(ended.errorMessage).to.match(/^Work that no unit pays for may use 2 s of compute a day/)
    })
  })
})
