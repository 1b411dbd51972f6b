import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { expect } from 'chai'
import { verifyByRecomputation } from '../../../../core/compile/archive/recompute/recompute.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { DEFAULT_LIMITS } from '../../../../core/limits.ts'
import { releaseStageBlobs } from '../../../../db/compile/across/release/collect-finished.ts'
import { call, givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'
import { readZip } from '../../../support/archives/read-zip.ts'
import { recordHistory } from '../../../support/workflows/histories.ts'
import { sendSql, writeAll } from '../../../support/db/send-sql.ts'
import { runCli, type CliRun } from '../../../support/cli/run-cli.ts'
import { useService } from '../../../support/workflows/service.ts'

/** Surnames in capitals, but for one row that says something else. */
const EXAMPLES = [
  ['Ada Lovelace', 'LOVELACE'],
  ['Alan Turing', 'TURING'],
  ['Grace Hopper', 'HOPPER'],
  ['Edsger Dijkstra', 'DIJKSTRA'],
  ['Barbara Liskov', 'LISKOV'],
  ['Tony Hoare', 'HOARE'],
  ['John Backus', 'no such person'],
].map(([input, output]) => ({ input, output, ...(output === 'no such person' && { kind: 'test' }) }))
EXAMPLES.push({ input: 'Donald Knuth', output: 'KNUTH', kind: 'test' })

describe('a gated compile that is accepted below its floor', () => {
  /** Calls of the clock left until the first attempt at signing ends; endless outside of that test. */
  let left = Infinity
  /** Lag of the clock of the worker that signs, milliseconds. */
  let behindMs = 0
  let fault = (): Error => KERNEL_ERRORS.store_unavailable('the process ended')
  const service = useService({
    change: (deps) => ({
      ...deps,
      now: () => {
        if (isFirstAttempt() && --left < 0) {
          left = Infinity
          throw fault()
        }
        return new Date(Date.now() - behindMs)
      },
    }),
  })
  const stores = () => ({
    database: service.database,
    temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
  })
  const api = useApi({ stores })
  const impatient = useApi({ stores, limits: { sync_compile_wait_s: 0.2 } })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })

  async function gatedJob(choices: object = {}): Promise<string> {
    const { status, body, text } = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Surname in capitals', examples: EXAMPLES, base_model: 'none', k_score_floor: 0.9, ...choices },
    })
    expect([status, body.code], text).to.deep.equal([422, 'k_score_below_floor'])
    return body.details.job_id
  }
  const accept = async (jobId: string) => await api.call('POST', `/v1/compile/${jobId}/accept`, { key: tenant.key })
  const get = async (path: string) => await api.call('GET', path, { key: tenant.key })

  it('signs what is there, says who accepted it, and charges once', async () => {
    const jobId = await gatedJob()
    const before = (await get(`/v1/compile/${jobId}`)).body
    expect(before).to.include({ status: 'gated', production_ready: false }).and.not.to.have.property('accepted')
    const { status, body, text } = await accept(jobId)
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({ status: 'completed', stage: 'ready', progress: 100, production_ready: false })
    expect(body).not.to.have.any.keys('error', 'error_code')
    expect(body.accepted).to.include({ state: 'signed', k_score: before.k_score, k_score_floor: 0.9 })
    expect(body.accepted.by).to.match(/^key:key_/)
    expect(body.production_reasons[0]).to.include({
      code: 'below_floor',
      k_score: before.k_score,
      k_score_floor: 0.9,
    })
    const again = await accept(jobId)
    expect([again.status, again.body.accepted]).to.deep.equal([200, body.accepted])
    const { jobs } = (await get('/v1/compile')).body
    expect(jobs.find(({ id }: { id: string }) => id === jobId).status).to.equal('ready')
    const run = await api.call('POST', '/v1/run', {
      key: tenant.key,
      body: { version_id: body.version_id, input: 'Grace Hopper' },
    })
    expect(run.body.output).to.equal('HOPPER')
    const artifacts = await sendSql(service.database.db, 'select count(*)::int as n from artifacts where id = $1', [
      jobId,
    ])
    expect(artifacts).to.deep.equal([{ n: 1 }])
    await recordHistory(service.temporal, 'accept-signed', `${jobId}/accept`)

    expect((await streamOf(jobId)).filter((kind) => kind === 'gated' || kind === 'done')).to.deep.equal([
      'gated',
      'done',
    ])
  })

  it('states the acceptance in an archive that verifies and can be recomputed, also with a worker whose clock is behind', async () => {
    const jobId = await gatedJob()
    behindMs = 60_000
    await accept(jobId)
    behindMs = 0
    const { bytes } = await get(`/v1/compile/${jobId}/.svc`)
    const result = await verifyArchive(bytes)
    expect(result.ok, result.detail).to.equal(true)
    expect(result.checks.find(({ name }) => name === 'k_gate')?.detail).to.match(
      /^K 0\.\d+ is below the floor 0\.9 and was accepted by key:key_/,
    )
    const files = await readZip(bytes)
    const [build, manifest, evidence] = ['build.json', 'manifest.json', 'evidence.json'].map((name) =>
      JSON.parse(files.get(name) ?? ''),
    )
    expect(manifest.accepted).to.deep.equal(build.accepted)
    expect(build.seed_provenance.production_ready).to.equal(false)
    const gate = evidence.nodes.find(({ id }: { id: string }) => id.startsWith('policy:gate:'))
    expect(gate).to.include({ accepted_by: build.accepted.by, accepted_at: build.accepted.at })
    const repeated = await verifyByRecomputation(bytes, {})
    expect(repeated.checks.filter(({ status }) => status === 'fail')).to.deep.equal([])
    expect(repeated.ok, repeated.detail).to.equal(true)
  })

  it('goes on after the end of a process at any point: one archive and one charge', async () => {
    const jobs: string[] = []
    for (let point = 0; point < 4; point++) {
      const jobId = await gatedJob()
      left = point
      const { status, body, text } = await accept(jobId)
      expect([status, body.status], text).to.deep.equal([200, 'completed'])
      expect((await eventsOf(jobId)).filter((code) => code === 'sealed')).to.have.length(1)
      jobs.push(jobId)
    }
    expect(await unitsOf(jobs[0])).to.equal(jobs.length * DEFAULT_LIMITS.quota_units_per_compile)
  })

  it('gives the units back when it cannot sign, and can be accepted again', async () => {
    const jobId = await gatedJob()
    const passing = fault
    fault = () => COMPILE_ERRORS.compile_failed('it recurs on every attempt')
    // The archive is sealed and recorded, and not published.
    left = 3
    const failed = await accept(jobId)
    // The stage sign is begun, and not recorded.
    left = 2
    const unsealed = await accept(jobId)
    fault = passing
    expect(unsealed.body.code, unsealed.text).to.equal('compile_failed')
    expect(failed.body.code, failed.text).to.equal('compile_failed')
    expect(failed.body.details).to.include({ job_id: jobId, error_code: 'compile_failed' })
    const job = (await get(`/v1/compile/${jobId}`)).body
    expect([job.status, job.accepted.state, job.accepted.error_code]).to.deep.equal([
      'gated',
      'failed',
      'compile_failed',
    ])
    expect(await unitsOf(jobId)).to.equal(0)
    const events = await streamOf(jobId)
    expect(events.filter((kind) => kind === 'gated' || kind === 'done')).to.deep.equal(['gated', 'gated', 'gated'])
    const count = (kind: string) => events.filter((one) => one === kind).length
    expect(count('step.start')).to.equal(count('step.end'))

    const { status, body, text } = await accept(jobId)
    expect([status, body.accepted?.state], text).to.deep.equal([200, 'signed'])
    expect(await unitsOf(jobId)).to.equal(DEFAULT_LIMITS.quota_units_per_compile)
    const audit = await actionsOf(jobId)
    expect(audit.slice(-4)).to.deep.equal([
      'compile.accepted',
      'compile.acceptance_failed',
      'compile.accepted',
      'compile.completed',
    ])
    const { bytes } = await get(`/v1/compile/${jobId}/.svc`)
    const { ok, detail, manifest } = await verifyArchive(bytes)
    expect(ok, detail).to.equal(true)
    expect(manifest?.accepted).to.include({ at: body.accepted.at })
  })

  it('is followed by svc accept and svc watch until its archive is there', async () => {
    const jobId = await gatedJob()
    const folder = await mkdtemp(join(tmpdir(), 'svc-accept-'))
    const env = { SVC_URL: impatient.url, SVC_API_KEY: tenant.key }
    const svc = async (...args: string[]) => await runCli(args, { folder, profileDir: join(folder, 'profile'), env })
    try {
      const runs: Promise<CliRun>[] = []
      await writeAll(service.database.db, async (tx) => {
        await tx.query('lock table artifacts in share mode')
        runs.push(svc('accept', jobId, '-o', 'accepted.svc', '--json'))
        const waiting = "select 1 from pg_locks where relation = 'artifacts'::regclass and not granted limit 1"
        while ((await tx.query(waiting)).length === 0) await sleep(20)
        runs.push(svc('watch', jobId, '--json'))
        await sleep(2000)
      })
      const [accepted, watched] = await Promise.all(runs)
      expect(accepted?.code, accepted?.stderr).to.equal(0)
      expect((await verifyArchive(await readFile(join(folder, 'accepted.svc')))).ok).to.equal(true)
      // A watch that begins later reads the same events.
      for (const { code, stdout, stderr } of [watched, await svc('watch', jobId, '--json')].filter(
        (run) => run !== undefined,
      )) {
        const events = stdout
          .trim()
          .split('\n')
          .map((line): { event: string } => JSON.parse(line))
        expect(code, stderr).to.equal(0)
        expect(events.slice(-2).map(({ event }) => event)).to.deep.equal(['done', 'job'])
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('refuses a job that is not gated, one without a candidate, and one whose candidate was swept', async () => {
    const signed = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Surname in capitals', examples: EXAMPLES.slice(0, 6), base_model: 'none', k_score_floor: 0 },
    })
    const refusal = async (jobId: string) => {
      const { status, body } = await accept(jobId)
      return [status, body.code]
    }
    expect(await refusal(signed.body.id)).to.deep.equal([409, 'not_gated'])
    const examples = ['k3', 'x', 'p9', 'zz'].map((input, i) => ({ input, output: { a: [i, input.length * 7 + i] } }))
    const none = await gatedJob({ examples, recipe_kind: 'tabular' })
    expect(await refusal(none)).to.deep.equal([409, 'no_candidate'])
    const swept = await gatedJob()
    await releaseStageBlobs(service.database.db, { finishedBefore: new Date(Date.now() + 60_000) })
    expect(await refusal(swept)).to.deep.equal([410, 'candidate_expired'])
    const other = await givenApiTenant(api)
    const foreign = await api.call('POST', `/v1/compile/${swept}/accept`, { key: other.key })
    expect(foreign.status).to.equal(404)
  })

  /** The kinds of the events of a job, read until its stream ends. */
  async function streamOf(jobId: string): Promise<(string | undefined)[]> {
    const { text } = await call(api.url, 'GET', `/v1/compile/stream/${jobId}`, { key: tenant.key })
    return [...text.matchAll(/^event: (.+)$/gm)].map(([, kind]) => kind)
  }

  /** Units that the tenant of a job used in all. */
  async function unitsOf(jobId: string | undefined): Promise<unknown> {
    const [row] = await sendSql<{ units: string }>(
      service.database.db,
      'select sum(used_units) as units from quota_periods where tenant_id = (select tenant_id from compile_jobs where id = $1)',
      [jobId ?? ''],
    )
    return Number(row?.units)
  }

  async function actionsOf(jobId: string): Promise<string[]> {
    const rows = await sendSql<{ action: string }>(
      service.database.db,
      `select action from (select action, at from audit_entries where target = $1
       union all select action, at from audit_pending where target = $1) l order by at`,
      [jobId],
    )
    return rows.map(({ action }) => action)
  }

  async function eventsOf(jobId: string): Promise<unknown[]> {
    const rows = await sendSql<{ body: { code?: string } }>(
      service.database.db,
      'select body from job_events where job_id = $1 order by seq',
      [jobId],
    )
    return rows.map(({ body }) => body.code)
  }
})

/** True in the first attempt at the activity that signs. */
function isFirstAttempt(): boolean {
  try {
    const { activityType, attempt } = Context.current().info
    return activityType === 'signAccepted' && attempt === 1
  } catch {
    return false
  }
}
