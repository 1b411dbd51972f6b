import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { aCallRecord } from '../../support/providers/given-record.ts'
import { exportRow } from '../../../core/gateway/captures/export/export-row.ts'
import { DEFAULT_SETTINGS } from '../../../core/gateway/gate/namespaces/settings.ts'
import { rulesOf as rulesUnder } from '../../../core/gateway/captures/recording/record-call.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { commitCaptures } from '../../../db/gateway/across/commit-captures.ts'
import { indexCaptureTexts } from '../../../db/gateway/across/keep-captures.ts'
import { eraseContent } from '../../../db/gateway/captures/erase-content.ts'
import { getCapture } from '../../../db/gateway/captures/get-capture.ts'
import { listCaptures } from '../../../db/gateway/captures/list-captures.ts'
import { reviewCapture, reviewCaptures } from '../../../db/gateway/captures/review-captures.ts'
import { streamCaptures } from '../../../db/gateway/captures/stream-captures.ts'
import { tailCaptures, tailStart, type TailedCapture } from '../../../db/gateway/captures/tail-captures.ts'
import { verifyCaptures } from '../../../db/gateway/captures/verify-captures.ts'
import { openCaptureWriter, type CaptureWriter } from '../../../db/gateway/captures/writer/writer.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { aCapture, type GivenCall } from '../../support/db/given-captures.ts'
import { givenTenant } from '../../support/db/given.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { testLog } from '../../support/workflows/quiet-runtime.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { eventually } from '../../support/wire/eventually.ts'

const rulesOf = async () => await Promise.resolve(rulesUnder(DEFAULT_SETTINGS, null))

const yielded = ({ done, value }: IteratorResult<readonly TailedCapture[], void>): readonly TailedCapture[] =>
  done === true ? [] : value

describe('the store of captures', () => {
  const database = useDatabase()
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-captures-'))
  })
  after(async () => await rm(folder, { recursive: true, force: true }))

  const openWriter = async (limits: Partial<typeof DEFAULT_LIMITS> = {}): Promise<CaptureWriter> =>
    openCaptureWriter({
      db: database.db,
      signer: (await loadSigningKeys(database.db)).current,
      folder,
      limits: { ...DEFAULT_LIMITS, ...limits },
      takeRoom: () => undefined,
      now: () => new Date(),
      log: testLog(),
    })
  const store = async (op: Operation, calls: readonly GivenCall[]): Promise<readonly string[]> => {
    const { current } = await loadSigningKeys(database.db)
    const captures = calls.map((call, i) => aCapture(op.tenantId, { at: new Date(Date.now() + i), ...call }))
    await commitCaptures(
      database.db,
      current,
      captures.map((capture) => ({ capture, blobSha256: null, bytes: 0 })),
      new Date(),
    )
    return captures.map(({ facts }) => facts.id)
  }
  const idsOf = async (op: Operation, filter: Parameters<typeof listCaptures>[1]) =>
    (await listCaptures(op, filter, { limit: 50 })).items.map(({ id }) => id)

  it('lists, pages and searches by every filter', async () => {
    const { op } = await givenTenant(database.db)
    const ids = await store(op, [
      { question: 'A zebra, 100% striped?', gate: { ...aCallRecord().gate, classes: ['email'] } },
      { reply: 'Two ZEBRAS', outcome: 'left', namespace: 'animals' },
      { question: 'A horse?' },
    ])
    const [first = '', second = '', third = ''] = ids
    expect(await idsOf(op, {})).to.deep.equal([third, second, first])
    expect(await idsOf(op, { namespace: 'animals' })).to.deep.equal([second])
    expect(await idsOf(op, { pii: ['phone', 'email'] })).to.deep.equal([first])
    expect(await idsOf(op, { riskMin: 0.3 })).to.deep.equal([second])
    expect(await idsOf(op, { riskMax: 0.1 })).to.deep.equal([third])
    expect(await idsOf(op, { to: new Date(Date.now() - 60_000) })).to.deep.equal([])
    expect(await idsOf(op, { q: 'zebra' })).to.deep.equal([second, first])
    expect(await idsOf(op, { q: '100%' })).to.deep.equal([first])
    expect(await idsOf(op, { q: '1__%' })).to.deep.equal([])
    const page = await listCaptures(op, {}, { limit: 2, countsTotal: true })
    expect(page.total).to.equal(3)
    const rest = await listCaptures(op, {}, { limit: 2, cursor: page.nextCursor ?? '' })
    expect(rest.items.map(({ id }) => id)).to.deep.equal([first])
  })

  it('finds rare texts behind the newest captures by the index, and those that it has not reached', async () => {
    const { op } = await givenTenant(database.db)
    const [needle = ''] = await store(op, [{ question: 'where is the needle' }])
    for (let i = 0; i < 9; i++)
      await store(
        op,
        Array.from({ length: 500 }, () => ({ question: 'hay' })),
      )
    expect(await idsOf(op, { q: 'needle' }), 'not indexed').to.deep.equal([needle])
    await indexCaptureTexts(database.db, new AbortController().signal)
    expect(await idsOf(op, { q: 'NEEDLE' }), 'indexed').to.deep.equal([needle])
    expect(await idsOf({ ...op, scopes: ['namespace:other'] }, { q: 'needle' })).to.deep.equal([])
    const { op: other } = await givenTenant(database.db)
    expect(await idsOf(other, { q: 'needle' })).to.deep.equal([])
    expect(await verifyCaptures(op, 'default')).to.include({ ok: true, chainLength: 4501, checkpoints: 4 })
  })

  it('is reviewed, exported and forgotten, and its chain verifies all the while', async () => {
    const { op } = await givenTenant(database.db)
    const ids = await store(op, [{ question: 'one' }, { question: 'two' }, { question: 'three', retention: 'none' }])
    const [one = '', two = '', none = ''] = ids
    await reviewCapture(op, { id: one, action: 'approve', reason: 'right', fixedOutput: 'Better.', rulesOf })
    await expectAudited(op, 'capture.reviewed', one)
    const bulk = await reviewCaptures(op, { ids: [two, 'cap_0', none], action: 'reject', rulesOf })
    expect(bulk).to.deep.include({ status: 'rejected', updated: [two, none], notFound: ['cap_0'], forgotten: [] })
    expect(await idsOf(op, { statuses: ['approved'] })).to.deep.equal([one])
    const refused = reviewCapture(op, { id: none, action: 'approve', fixedOutput: 'x', rulesOf })
    expect(await refused.catch((error: unknown) => error)).to.have.property('code', 'capture_without_content')

    const stream = streamCaptures(op, {})
    const { value: batch } = await stream.next()
    const [first, ...others] = batch ?? []
    if (first === undefined) throw new Error('no batch')
    expect([first, ...others].map(({ id }) => id)).to.deep.equal([one, two])
    expect(exportRow(first)).to.include({ completion: 'Better.', is_fixed: true })
    expect((await stream.next()).done).to.equal(true)

    await indexCaptureTexts(database.db, new AbortController().signal)
    const at = new Date()
    expect(await op.write(async (tx) => await eraseContent(tx, op.tenantId, { ids: [one], at }))).to.deep.equal([one])
    expect(await idsOf(op, {})).to.deep.equal([none, two])
    expect(await idsOf(op, { q: 'one' })).to.deep.equal([])
    expect(await getCapture(op, one)).to.deep.include({ content: null, forgottenAt: at, fixedOutput: null })
    const again = reviewCapture(op, { id: one, action: 'approve', rulesOf })
    expect(await again.catch((error: unknown) => error)).to.have.property('code', 'capture_forgotten')
    expect(await verifyCaptures(op, 'default')).to.include({ ok: true, chainLength: 3 })

    await sendSql(database.db, `update capture_contents set prompt = 'forged' where id = $1`, [two])
    expect(await verifyCaptures(op, 'default')).to.include({ ok: false, brokenAt: 2, reason: 'content_mismatch' })
  })

  it('is followed in the order of commits, from any position, without the rows of others', async () => {
    const { op } = await givenTenant(database.db)
    const { op: other } = await givenTenant(database.db)
    const [first] = await store(op, [{}])
    const abort = new AbortController()
    const after = await tailStart(op, { replay: 10 })
    const tail = tailCaptures(op, database.notifications, { after, signal: abort.signal })
    expect(yielded(await tail.next()).map(({ id }) => id)).to.deep.equal([first])
    expect((await tail.next()).value).to.deep.equal([])
    const next = tail.next()
    await store(other, [{}])
    const [second] = await store(op, [{ namespace: 'animals' }])
    expect(yielded(await next).map(({ id, position }) => [id, position])).to.deep.equal([[second, 2]])
    abort.abort()
    expect((await tail.next()).done).to.equal(true)
  })

  it('keeps large contents in the blob store', async () => {
    const { op } = await givenTenant(database.db)
    const writer = await openWriter()
    const capture = aCapture(op.tenantId, { question: 'long '.repeat(40_000) })
    expect(await writer.write(capture, 'before_answer')).to.equal(true)
    await writer.close()
    expect((await getCapture(op, capture.facts.id)).content).to.deep.equal(capture.content)
    const [row] = await sendSql<{ short: boolean }>(
      database.db,
      'select body is null and length(prompt) < 10000 as short from capture_contents where id = $1',
      [capture.facts.id],
    )
    expect(row?.short).to.equal(true)
    expect(await verifyCaptures(op, 'default')).to.include({ ok: true })
  })

  it('says so when the log has no room, and keeps what it can', async () => {
    const { op } = await givenTenant(database.db)
    const writer = await openWriter({ capture_spill_bytes: 10 })
    const kept = aCapture(op.tenantId)
    expect(await writer.write(kept, 'grouped')).to.equal(false)
    await writer.close()
    expect(await idsOf(op, {})).to.deep.equal([kept.facts.id])
    const full = await openWriter({ capture_spill_bytes: 10, capture_waiting_bytes: 10 })
    expect(await full.write(aCapture(op.tenantId), 'grouped')).to.equal(false)
    expect(full.figures()).to.include({ lost: 1 })
    await full.close()
  })

  it('loses nothing that was acknowledged when its writer is killed: another process takes its log over', async () => {
    const { op } = await givenTenant(database.db)
    const child = spawn(process.execPath, ['bench/gateway/capture-writer.ts'], {
      env: {
        ...process.env,
        BENCH_URL: database.url,
        BENCH_KEY: database.masterKey.toString('hex'),
        BENCH_FOLDER: folder,
        BENCH_TENANT: op.tenantId,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const printed = createInterface({ input: child.stdout })
    const acknowledged = new Set<string>()
    const enough = Promise.withResolvers<void>()
    printed.on('line', (id) => {
      if (id.length === 30) acknowledged.add(id)
      if (acknowledged.size === 300) enough.resolve()
    })
    const ended = Promise.all([once(child, 'exit'), once(printed, 'close')])
    await enough.promise
    child.kill('SIGKILL')
    await ended
    const writer = await openWriter()
    await eventually(async () => {
      const rows = await sendSql<{ id: string }>(database.db, 'select id from captures where tenant_id = $1', [
        op.tenantId,
      ])
      const ids = new Set(rows.map(({ id }) => id))
      expect([...acknowledged].filter((id) => !ids.has(id))).to.deep.equal([])
      expect(rows).to.have.length(ids.size)
    })
    await writer.close()
    expect(await verifyCaptures(op, 'default')).to.include({ ok: true })
    expect((await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('new-'))).to.deep.equal([])
  })
})
