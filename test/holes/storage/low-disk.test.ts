import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { collectSoon } from '../../../activities/overview/reconcile/collect-soon.ts'
import type { Route } from '../../../api/kernel/route.ts'
import { ROUTES } from '../../../api/routes.ts'
import { measureDatabase } from '../../../db/kernel/storage/measure-database.ts'
import { ADMIN_KEY, givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { givenProgramVersion } from '../../support/archives/signed-artifacts.ts'
import { bodyOf, givenScimToken, headersFor, pathOf } from '../../support/wire/declared-routes.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenReadyDataset } from '../../support/people/given-ready-dataset.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const MB = 1024 * 1024
const UNSAFE = ROUTES.filter(({ method }) => method !== 'get')
const STORING = UNSAFE.filter(({ stores }) => stores !== undefined)
const BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
const SPOOL = join(tmpdir(), 'svc-test-spool-low')

function hasExample(route: Route): boolean {
  try {
    bodyOf(route)
    return true
  } catch {
    return false
  }
}

describe('a service with little disk space', () => {
  const database = useDatabase()
  let databaseBytes = 1
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: {
      storage_check_s: 0.05,
      sync_dataset_wait_s: 0.05,
      sync_bakeoff_wait_s: 0.05,
      sync_inference_wait_s: 0.05,
      storage_reserve_bytes: 4 * MB,
      stored_bytes_starter: 0,
      planning_calls_per_ip_minute: 100_000,
    },
    settings: {
      baseFolders: [BASES],
      storage: {
        spoolDir: SPOOL,
        captureDir: SPOOL,
        get databaseBytes() {
          return databaseBytes
        },
      },
    },
    now,
  })
  let tenant: ApiTenant
  let scimToken = ''
  let version: Awaited<ReturnType<typeof givenProgramVersion>>
  before(async () => {
    tenant = await givenApiTenant(api)
    scimToken = await givenScimToken(api, tenant.id)
    version = await givenProgramVersion(setUpOperation(database.db, tenant.id), api.server.services.signingKeys.current)
  })
  const untilLow = async (isLow: boolean) => {
    while (api.server.services.storage.room().isLow !== isLow) await sleep(20)
  }
  const setRoom = async (bytes: number) => {
    databaseBytes = bytes
    await untilLow(bytes === 1)
  }
  const examples = Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))
  const FIT = Array.from({ length: 24 }, (_, i) => ({ input: `first ${i}`, output: `${i} first` }))
  const validBody = (route: Route, artifact = version.jobId, other = artifact): unknown => {
    switch (route.operationId) {
      case 'createExport':
        return { artifact_id: artifact }
      case 'evalGate':
        return { candidate_artifact: artifact, baseline_artifact: other, rows: examples }
      case 'createCompile':
      case 'startCompile':
        return { task: 'Write it in capitals', mode: 'async', examples }
      case 'compileOnCloud':
        return {
          backend: 'gpu_pods',
          confirm: true,
          budget_usd: 5,
          base_model: 'nano',
          spec: { task: 'Swap', examples: FIT },
        }
      case 'createDataset':
        return { namespace: 'support', rows: examples }
      case 'importIntoDataset':
        return { rows: examples }
      case 'distillFromCaptures':
        return { namespace: 'support' }
      case 'distillPreference':
        return { source: 'review', namespace: 'support' }
      case 'distillOnPolicy':
        return { dataset_id: 'ds_0123456789abcdefghjkmnpqrs', teacher: 'nano' }
      case 'compileBuilder':
        return { task: 'Write it in capitals', examples }
      default:
        return hasExample(route) ? bodyOf(route) : { task: 'Write it in capitals', examples }
    }
  }
  const callRoute = async (route: Route, by: ApiTenant = tenant) =>
    await api.call(route.method.toUpperCase(), pathOf(route), {
      headers: headersFor(route, { key: by.key, scimToken }),
      body: validBody(route),
    })
  const rows = async () => {
    const [row] = await sendSql<{ rows: number }>(
      database.db,
      `select (select count(*) from blobs) + (select count(*) from blob_chunks) + (select count(*) from blob_uploads)
         + (select count(*) from compile_jobs) + (select count(*) from exports) + (select count(*) from control_events)
         + (select count(*) from adapter_manifests) + (select count(*) from export_declarations) as rows`,
    )
    return row?.rows
  }

  it('declares what it stores: compiles, exports and the documents of the control center', () => {
    expect(STORING.map(({ operationId, stores }) => `${operationId} ${stores}`)).to.have.members([
      'createCompile blobs',
      'startCompile blobs',
      'compileAgain blobs',
      'compileBuilder blobs',
      'createExport blobs',
      'compileOnCloud blobs',
      'sendTrainerFile blobs',
      'createDataset blobs',
      'importIntoDataset blobs',
      'splitDataset blobs',
      'embedDocuments blobs',
      'receiveControlEvent records',
      'validateAdapterManifest records',
      'declareExport records',
      'logCaptures records',
      'storeConversation records',
      'saveConversation records',
      'storeMultimodal blobs',
      'storeMedia blobs',
      'observeCall records',
      'autoSynthesize blobs',
      'distillFromCaptures blobs',
      'distillPreference blobs',
      'distillOnPolicy blobs',
      'createEvaluation records',
      'importEvaluation blobs',
      'runBakeoff records',
      'createBakeoff records',
      'measureInference records',
      'resumeEvaluation records',
      'storeBenchPack blobs',
      'runMmlu records',
      'runHumanEval records',
      'runMtBench records',
      'storeHoldout blobs',
      'evalGate blobs',
      'submitCloudJob records',
    ])
    const takesUploads = ROUTES.filter(({ invokeMultipart }) => invokeMultipart !== undefined)
    // These read their file and keep nothing; while it waits in the spool, it counts against the room.
    const passing = ['previewCompile', 'runBatch', 'createTranscription', 'createTranslation']
    const keeps = takesUploads.filter(({ operationId }) => !passing.includes(operationId))
    expect(keeps.every(({ stores }) => stores === 'blobs')).to.equal(true)
  })

  for (const route of STORING) {
    it(`answers 507 to ${route.method} ${route.path}, after the credential and before the body, and keeps nothing`, async () => {
      await setRoom(1)
      const before = await rows()
      const stranger = await api.call(route.method.toUpperCase(), pathOf(route), { body: validBody(route) })
      // Machines at the trainer door have a token of their own, which the handler checks.
      expect(stranger.status).to.equal(route.auth === 'public' ? 507 : 401)
      const answer = await callRoute(route)
      expect([answer.status, answer.body.code], answer.text).to.deep.equal([507, 'storage_full'])
      expect(answer.headers.get('retry-after')).to.equal('60')
      expect(await rows()).to.equal(before)
    })
  }

  it('refuses an upload before it is sent', async () => {
    await setRoom(1)
    const before = await rows()
    const form = new FormData()
    form.set('file', new Blob(['{"input":1,"output":2}\n'.repeat(1000)]), 'rows.jsonl')
    const answer = await api.call('POST', '/v1/compile', { key: tenant.key, raw: form })
    expect([answer.status, answer.body.code]).to.deep.equal([507, 'storage_full'])
    expect(await rows()).to.equal(before)
  })

  it('goes on with reads and runs, and says what it lacks', async () => {
    await setRoom(1)
    const run = await api.call('POST', '/v1/run', {
      key: tenant.key,
      body: { version_id: version.versionId, input: 'Ada Lovelace' },
    })
    expect(run.status, run.text).to.equal(200)
    const download = await api.call('GET', `/v1/artifacts/${version.jobId}/download`, { key: tenant.key })
    expect(download.status).to.equal(200)
    for (const path of ['/health', '/v1/health']) {
      expect((await api.call('GET', path)).body.capture_store, path).to.equal('full')
    }
    const { body } = await api.call('GET', '/ready/deep', { key: tenant.key })
    const check = body.checks.find(({ name }: { name: string }) => name === 'storage')
    expect(check).to.include({ ok: false, required: false })
    expect(check.detail).to.match(/^intake is stopped; database: -?\d+ MB free, \d+ MB kept in reserve/)
    const metrics = await api.call('GET', '/metrics', { headers: { 'x-admin-key': ADMIN_KEY } })
    expect(metrics.text).to.match(/^svc_storage_low 1$/m)
  })

  it('takes data in again by itself when there is room, also inside the files of the database', async () => {
    const { totalBytes } = await measureDatabase(database.db)
    await setRoom(totalBytes + 14 * MB)
    const submit = async (seed: string) => {
      const form = new FormData()
      form.set('spec', '{"task":"Write it in capitals","mode":"async"}')
      // Texts that do not compress, so that the file grows by what is stored.
      const noise = (i: number) =>
        Array.from({ length: 60 }, (_, j) => ((i + 1) * 7919 * (j + 3) * 104_729 + j).toString(36)).join(seed)
      const lines = Array.from(
        { length: 2700 },
        (_, i) => `${JSON.stringify({ input: noise(i), output: `OUT ${i}` })}\n`,
      )
      form.set('file', new Blob(lines), 'rows.jsonl')
      return await api.call('POST', '/v1/compile', { key: tenant.key, raw: form })
    }
    const jobs: string[] = []
    for (let refused = false, turn = 0; !refused; turn++) {
      expect(turn, 'uploads that were taken in').to.be.lessThan(20)
      const answer = await submit(`-${turn}-`)
      refused = answer.status === 507
      if (!refused) jobs.push(answer.body.job_id)
      await sleep(200)
    }
    expect(jobs.length).to.be.at.least(1)
    expect((await measureDatabase(database.db)).totalBytes).to.be.lessThan(databaseBytes)
    for (const jobId of jobs) await api.call('POST', `/v1/compile/${jobId}/cancel`, { key: tenant.key })
    aheadMs += 10 * 60_000
    await collectSoon({ db: database.db, now }, new AbortController().signal)
    // What autovacuum does within seconds on the service's own Postgres, as often as it finds dead rows: a connection tells
    // its own up to ten seconds after it deleted them, so that one vacuum may come before they are counted.
    for (let status = 0; status !== 202;) {
      await sendSql(database.db, 'vacuum blob_chunks')
      await untilLow(false)
      ;({ status } = await submit('-again-'))
      expect(status).to.be.oneOf([202, 507])
    }
  }).timeout(180_000)

  it('keeps a tenant without room out of every route that stores bytes, and no other route stores any', async () => {
    databaseBytes = 1e12
    await untilLow(false)
    const full = await givenApiTenant(api)
    const dataset = await givenReadyDataset(api, full)
    await sendSql(database.db, `update tenants set plan = 'starter' where id = $1`, [full.id])
    const own = await givenProgramVersion(setUpOperation(database.db, full.id))
    const other = await givenProgramVersion(setUpOperation(database.db, full.id))
    const before = await rows()
    // A machine at the trainer door stores for the job of its lease.
    for (const route of STORING.filter(({ stores, auth }) => stores === 'blobs' && auth !== 'public')) {
      const path = route.path.replace('{id}', own.jobId).replace('{dataset_id}', dataset)
      const files = new FormData()
      if (route.operationId === 'embedDocuments') files.set('namespace', 'notes')
      files.set('file', new Blob(['a file']), 'a.txt')
      const takesFiles = route.operationId === 'storeMedia' || route.operationId === 'embedDocuments'
      const sent = takesFiles ? { raw: files } : { body: validBody(route, own.jobId, other.jobId) }
      const query = route.operationId === 'storeBenchPack' ? '?benchmark=humaneval' : ''
      const answer = await api.call('POST', `${path}${query}`, { key: full.key, ...sent })
      expect([answer.status, answer.body.code], `${route.path} ${answer.text}`).to.deep.equal([
        402,
        'storage_allowance_used',
      ])
    }
    expect(await rows()).to.equal(before)
    const count = async () => {
      const [row] = await sendSql<{ blobs: number }>(
        database.db,
        `select (select count(*) from blobs) + (select count(*) from blob_chunks) + (select count(*) from blob_uploads) as blobs`,
      )
      return row?.blobs
    }
    const blobs = await count()
    for (const route of UNSAFE.filter(({ stores }) => stores === undefined)) {
      // Each by a tenant of its own: some of them end keys, sessions or the account.
      await callRoute(route, await givenApiTenant(api))
      expect(await count(), `${route.path} stores bytes: declare it`).to.equal(blobs)
    }
  }).timeout(180_000)
})
