import { setTimeout as sleep } from 'node:timers/promises'
import { mkdtempSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { figuresOfLevel, measureLevel } from '../../../core/learn/evals/inference/measure.ts'
import { isSignedRow } from '../../../core/learn/evals/inference/signed-row.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { writeTinyBase } from '../../support/archives/tiny-bases.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { reconcileOne } from '../../support/workflows/chores.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'

const PAUSE_MS = 200
/** For a measurement beside which nothing else waits. */
const UNPAUSED = { onCall: () => undefined, isDue: () => false, pause: async () => undefined }

describe('measurements of inference', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-inference-'))
  const service = useService({ baseFolders: [folder] })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [folder] },
  })
  let tenant: ApiTenant
  const op = () => setUpOperation(service.database.db, tenant.id)
  before(async () => {
    await writeTinyBase(folder, 'tiny')
    tenant = await givenApiTenant(api)
  })
  after(async () => await rm(folder, { recursive: true }))

  const call = async (method: string, path: string, body?: object, key = tenant.key): Promise<Answer> =>
    await api.call(method, path, { key, ...(body !== undefined && { body }) })
  const start = async (body: object): Promise<Answer> => await call('POST', '/v1/bench/inference/run', body)
  const measured = async (body: object): Promise<Answer['body']> => {
    let answer = await start(body)
    expect(answer.status, answer.text).to.be.oneOf([200, 202])
    await eventually(async () => {
      answer = await call('GET', answer.body.poll)
      expect(answer.body.finished_at, answer.text).to.be.a('string')
    })
    return answer.body
  }

  it('measure a base at each concurrency, in a signed row that joins the list', async () => {
    const done = await measured({
      model: 'tiny',
      prompts: ['a', 'b', 'c'],
      repeats: 2,
      max_tokens: 4,
      concurrency: [1, 4],
    })
    expect(done.state, JSON.stringify(done)).to.equal('succeeded')
    const { row } = done
    expect(row.arms.baseline.map(({ concurrency }: { concurrency: number }) => concurrency)).to.deep.equal([1, 4])
    for (const level of row.arms.baseline) {
      expect(level).to.deep.include({ n_calls: 6, ok_calls: 6, err_calls: 0, errors: {} })
      expect(level.tokens_out).to.be.within(6, 24)
      expect(level.ttft_ms.p50).to.be.above(0)
      expect(level.ttft_ms.p50).to.be.at.most(level.latency_ms.p95)
      expect(level.latency_ms.p50).to.be.at.most(level.latency_ms.p95)
      expect(level.tokens_per_sec).to.be.closeTo((1000 * level.tokens_out) / level.wall_ms, 1)
    }
    expect(row.config).to.deep.include({ prompts: 3, repeats: 2, warm_up_calls: 2, clock: 'monotonic' })
    expect(row.speculative).to.deep.include({ requested: 'off', supported: false })
    expect(row.deltas).to.deep.equal({ throughput_speedup: null, latency_speedup: null })
    expect(row.hardware.cpus).to.be.at.least(1)
    const { publicKey, kid } = service.deps.signer
    expect(row.kid).to.equal(kid)
    expect(isSignedRow(row, publicKey)).to.equal(true)
    expect(isSignedRow({ ...row, model: 'another' }, publicKey)).to.equal(false)
    const list = (await call('GET', '/v1/bench/inference')).body
    expect(list.rows).to.deep.equal([row])
    await expectAudited(op(), 'inference.measured', done.measurement_id)
    await recordHistory(service.temporal, 'inference-measured', done.measurement_id)
  })

  it('measure an artifact as it runs, and count the calls that fail', async () => {
    const { jobId } = await givenProgramVersion(op(), service.deps.signer)
    const body = { artifact_id: jobId, model: 'names', prompts: ['ada', 7], warm_up: 0, speculative: 'auto' }
    const { row } = await measured(body)
    expect(row.model).to.equal('names')
    expect(row.target).to.deep.include({ kind: 'artifact', artifact_id: jobId })
    const [level] = row.arms.baseline
    expect(level).to.deep.include({ n_calls: 2, ttft_ms: null, tokens_out: null, tokens_per_sec: null })
    expect(level.ok_calls + level.err_calls).to.equal(2)
    expect(level.errors).to.deep.equal({ recipe_failed: 1 })
    expect(row.speculative).to.deep.include({ requested: 'auto', mode: 'off', supported: false })
  })

  it('answer a dry run by its plan, without a figure or a row', async () => {
    const before = (await call('GET', '/v1/bench/inference')).body.count
    const { status, body } = await start({
      model: 'tiny',
      prompts: ['a'],
      repeats: 3,
      concurrency: [1, 2],
      dry_run: true,
    })
    expect(status).to.equal(200)
    expect(body).to.deep.include({ dry_run: true, state: 'planned', row: null, measurement_id: null })
    expect(body.plan).to.deep.include({ calls: 6, warm_up_calls: 2 })
    expect((await call('GET', '/v1/bench/inference')).body.count).to.equal(before)
  })

  it('refuse addresses of callers, unknown targets and more calls than there may be', async () => {
    const refused = async (body: object) => {
      const { status, body: said } = await start(body)
      return [status, said.code, said.details?.fields?.[0]?.field]
    }
    const endpoint = { model: 'tiny', endpoint: 'http://169.254.169.254/' }
    expect(await refused(endpoint)).to.deep.equal([400, 'validation_failed', 'endpoint'])
    expect(await refused({ model: 'tiny', out_path: '/etc/row' })).to.deep.equal([400, 'validation_failed', 'out_path'])
    expect(await refused({})).to.deep.equal([400, 'validation_failed', 'model'])
    expect((await refused({ model: 'none' })).slice(0, 2)).to.deep.equal([400, 'unknown_base_model'])
    expect((await refused({ artifact_id: 'cmp_00000000000000000000000000' }))[0]).to.equal(404)
    expect((await refused({ model: 'tiny', concurrency: [17] }))[2]).to.equal('concurrency[0]')
    expect((await refused({ model: 'tiny', repeats: 1000, concurrency: [1, 2, 3] }))[2]).to.equal('repeats')
    const other = await givenApiTenant(api)
    const [{ measurement_id: id }] = (await call('GET', '/v1/bench/inference')).body.measurements
    expect((await call('GET', `/v1/bench/inference/${id}`, undefined, other.key)).status).to.equal(404)
    expect((await call('GET', '/v1/bench/inference', undefined, other.key)).body.rows).to.deep.equal([])
    await sendSql(
      service.database.db,
      `update inference_measurements set state = 'running', finished_at = null, result = null, created_at = now() - interval '1 hour' where id = $1`,
      [id],
    )
    await eventually(async () => {
      await reconcileOne(service.deps, 'inference')
      expect((await call('GET', `/v1/bench/inference/${id}`)).body).to.deep.include({
        state: 'failed',
        error_code: 'measurement_failed',
      })
    })
  })

  it('have figures by nearest rank, of calls that answered, with so many under way at once', async () => {
    const calls = [1, 2, 3, 4].map((latencyMs) => ({
      latencyMs,
      firstTokenMs: latencyMs / 2,
      tokensIn: 1,
      tokensOut: 10,
      errorCode: latencyMs === 4 ? 'recipe_failed' : null,
    }))
    expect(figuresOfLevel(2, calls, 100)).to.deep.include({
      calls: 4,
      ok: 3,
      errors: 1,
      errorCodes: { recipe_failed: 1 },
      latencyMs: { mean: 2, p50: 2, p95: 3 },
      firstTokenMs: { mean: 1, p50: 1, p95: 1.5 },
      tokensOut: 30,
      tokensPerSecond: 300,
    })
    let [under, most] = [0, 0]
    const once = async () => {
      most = Math.max(most, ++under)
      await new Promise(setImmediate)
      under--
      return { firstTokenMs: null, tokensIn: null, tokensOut: null, errorCode: null }
    }
    const level = await measureLevel(once, { concurrency: 3, calls: 10, warmUps: 1 }, UNPAUSED)
    expect([most, level.calls, level.tokensPerSecond]).to.deep.equal([3, 10, null])
  })

  it('pause while no call is under way, and count the time of no pause', async () => {
    let under = 0
    let isDue = false
    let pauses = 0
    const once = async () => {
      under++
      await new Promise(setImmediate)
      under--
      return { firstTokenMs: null, tokensIn: null, tokensOut: null, errorCode: null }
    }
    let called = 0
    const startedAt = performance.now()
    const level = await measureLevel(
      once,
      { concurrency: 4, calls: 20, warmUps: 0 },
      {
        onCall: () => {
          if (++called === 6) isDue = true
        },
        isDue: () => isDue,
        pause: async () => {
          expect(under).to.equal(0)
          pauses++
          isDue = false
          await sleep(PAUSE_MS)
        },
      },
    )
    expect([pauses, level.calls]).to.deep.equal([1, 20])
    expect(performance.now() - startedAt - level.wallMs).to.be.at.least(PAUSE_MS - 1)
  })

  it('leave the event loop to other work between calls', async () => {
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const once = async () =>
      await Promise.resolve({ firstTokenMs: null, tokensIn: null, tokensOut: null, errorCode: null })
    await measureLevel(once, { concurrency: 1, calls: 50, warmUps: 10 }, UNPAUSED)
    isOver = true
    expect(turns).to.be.at.least(50)
  })

  it('are made and verified by the commands', async () => {
    const svc = async (...args: readonly string[]) => {
      const env = { SVC_URL: api.url, SVC_API_KEY: tenant.key }
      return await runCli(args, { profileDir: join(folder, 'profile'), folder, env })
    }
    const run = await svc('bench', 'inference', 'tiny', '--max-tokens', '2', '-c', '1', '2', '--out', 'row.json')
    expect([run.code, run.stderr]).to.deep.equal([0, ''])
    expect(run.stdout).to.contain('TTFT p50 ms').and.to.contain('signed by')
    const row = JSON.parse(await readFile(join(folder, 'row.json'), 'utf8'))
    expect(row.arms.baseline.map(({ concurrency }: { concurrency: number }) => concurrency)).to.deep.equal([1, 2])
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys: [toJwk(service.deps.signer.publicKey)] }))
    const verified = await svc('bench', 'verify', 'row.json', '--jwks', 'keys.json')
    expect([verified.code, verified.stdout]).to.satisfy(
      ([code, text]: [number, string]) => code === 0 && text.includes('trusted'),
    )
  })
})
