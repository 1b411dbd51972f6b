import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { collectSoon } from '../../../activities/overview/reconcile/collect-soon.ts'
import { collectStaleUploads } from '../../../db/kernel/blobs/collect-uploads.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { periodOf } from '../../../db/billing/quota/period.ts'
import { givenApiTenant, NO_TEMPORAL, TEST_LIMITS, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { startApiProcess } from '../../support/stack/api-process.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const SPEC = '{"task":"Write it in capitals","mode":"async"}'
const KB = 1024
const ALLOWANCE = 1024 * KB
const NOBODYS = `cpt_${'0'.repeat(26)}`

type Part = readonly [head: string, body: string]
const spec = (body = SPEC): Part => ['name="spec"', body]
const file = (body: string, name = 'rows.jsonl'): Part => [`name="file"; filename="${name}"`, body]

/** A multipart body with the boundary X. */
function multipart(parts: readonly Part[], end = '--X--\r\n'): Uint8Array<ArrayBuffer> {
  const pieces = parts.map(([head, body]) => `--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`)
  return new Uint8Array(Buffer.from(pieces.join('') + end))
}

/** Rows of about so many bytes, different for each seed. */
function rowsOf(bytes: number, seed: string): string {
  const lines: string[] = []
  for (let size = 0, i = 0; size < bytes; i++) {
    const line = `{"input":"${seed} ${i} ${'x'.repeat(900)}","output":"OUT ${i}"}\n`
    lines.push(line)
    size += line.length
  }
  return lines.join('')
}

describe('an upload that is refused', () => {
  const database = useDatabase()
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: { stored_bytes_free: ALLOWANCE },
    now,
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const send = async (raw: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    await api.call('POST', '/v1/compile', {
      key: tenant.key,
      raw,
      headers: { 'content-type': 'multipart/form-data; boundary=X', ...headers },
    })
  const codeOf = ({ status, body }: Answer): string => `${status} ${body.code ?? 'accepted'}`
  const stored = async () => {
    const [row] = await sendSql<{ blobs: number; uploads: number; chunks: number; used: number }>(
      database.db,
      `select (select count(*) from blobs) as blobs, (select count(*) from blob_uploads) as uploads,
         (select count(*) from blob_chunks) as chunks,
         coalesce((select used_bytes from tenant_storage where tenant_id = $1), 0)::bigint as used`,
      [tenant.id],
    )
    return { ...row, spooled: api.server.services.spool.heldBytes() }
  }
  const collect = async () => {
    await collectSoon({ db: database.db, now }, new AbortController().signal)
  }
  const cancel = async (jobId: string) =>
    expect((await api.call('POST', `/v1/compile/${jobId}/cancel`, { key: tenant.key })).status).to.equal(200)

  const rows = rowsOf(400 * KB, 'refused')
  const useUp = async () =>
    await sendSql(
      database.db,
      `insert into quota_periods (tenant_id, period, used_units) values ($1, $2, 10000)
       on conflict (tenant_id, period) do update set used_units = excluded.used_units`,
      [tenant.id, periodOf(now())],
    )
  const none = async () => undefined
  const REFUSALS: readonly (readonly [string, string, () => Promise<unknown>, readonly Part[]])[] = [
    ['has no spec', '400 validation_failed', none, [file(rows)]],
    ['has a wrong spec behind the file', '400 validation_failed', none, [file(rows), spec('{"task":1}')]],
    ['has a wrong spec before the file', '400 validation_failed', none, [spec('{"task":1}'), file(rows)]],
    ['has a bad last row', '400 invalid_json', none, [spec(), file(`${rows}{"input":`)]],
    ['has a second file', '400 validation_failed', none, [spec(), file(rows), file('{}', 'more.jsonl')]],
    ['has one row only', '400 too_few_examples', none, [spec(), file(`{"input":1,"output":"${'x'.repeat(9000)}"}\n`)]],
    [
      'names an unknown concept',
      '404 not_found',
      none,
      [spec(`{"task":"a","mode":"async","concept_id":"${NOBODYS}"}`), file(rows)],
    ],
    [
      'asks for an unknown base',
      '400 unknown_base_model',
      none,
      [file(rows), spec('{"task":"a","base_model":"unknown"}')],
    ],
    ['comes when the month is used up', '402 quota_exhausted', useUp, [spec(), file(rows)]],
    ['is larger than the allowance', '402 storage_allowance_used', none, [spec(), file(rowsOf(1100 * KB, 'large'))]],
  ]
  for (const [what, code, given, parts] of REFUSALS) {
    it(`because it ${what} leaves no bytes`, async () => {
      await given()
      const before = await stored()
      const answer = await send(multipart(parts))
      expect(codeOf(answer), answer.text.slice(0, 300)).to.equal(code)
      expect(await stored()).to.deep.equal({ ...before, used: 0, uploads: 0, spooled: 0 })
    })
  }

  it('because its caller hangs up leaves no bytes', async () => {
    const before = await stored()
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /v1/compile HTTP/1.1\r\nHost: x\r\nX-API-Key: ${tenant.key}\r\nContent-Length: 9000000\r\nContent-Type: multipart/form-data; boundary=X\r\n\r\n`,
    )
    socket.write(multipart([spec(), file(rows)], ''))
    while (api.server.services.spool.heldBytes() === 0) await sleep(10)
    // Everything is on the way, and the store knows nothing of it yet.
    expect(await stored()).to.include({ blobs: before.blobs, chunks: before.chunks, uploads: 0 })
    socket.destroy()
    while (api.server.services.spool.heldBytes() > 0) await sleep(10)
    expect(await stored()).to.deep.equal(before)
  })

  it('with examples inline leaves no bytes either', async () => {
    const before = await stored()
    const examples = Array.from({ length: 8 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))
    const body = { task: 'Any', mode: 'async', examples, concept_id: NOBODYS }
    expect(codeOf(await api.call('POST', '/v1/compile', { key: tenant.key, body }))).to.equal('404 not_found')
    expect(await stored()).to.deep.equal({ ...before, used: 0 })
  })

  it('does not pass the last megabyte together with another one', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (seed) => await send(multipart([spec(), file(rowsOf(600 * KB, seed))]))),
    )
    expect(answers.map(codeOf).toSorted()).to.deep.equal([
      '202 accepted',
      ...Array.from({ length: 3 }, () => '402 storage_allowance_used'),
    ])
    expect((await stored()).used).to.be.within(600 * KB, ALLOWANCE)
    expect(await stored()).to.include({ uploads: 0, spooled: 0 })
  })

  it('is not the way around the allowance when it is accepted and cancelled: the bytes count until they are collected, soon', async () => {
    const first = await send(multipart([spec(), file(rowsOf(600 * KB, 'cancelled'))]))
    expect(codeOf(first)).to.equal('202 accepted')
    await cancel(first.body.job_id)
    aheadMs += 60_000
    await collect()
    const second = multipart([spec(), file(rowsOf(600 * KB, 'second'))])
    expect(codeOf(await send(second))).to.equal('402 storage_allowance_used')
    const { blobs } = await stored()
    aheadMs += 6 * 60_000
    await collect()
    expect((await stored()).blobs).to.equal((blobs ?? 0) - 1)
    expect(codeOf(await send(second))).to.equal('202 accepted')
  })

  it('is no refusal when it repeats one that was accepted: the job comes back although nothing more fits', async () => {
    const whole = multipart([spec(), file(rowsOf(1000 * KB, 'repeated'))])
    const first = await send(whole, { 'idempotency-key': 'once' })
    expect(codeOf(first)).to.equal('202 accepted')
    expect(codeOf(await send(multipart([spec(), file(rowsOf(90 * KB, 'more'))])))).to.equal(
      '402 storage_allowance_used',
    )
    const again = await send(whole, { 'idempotency-key': 'once' })
    expect([codeOf(again), again.body.job_id]).to.deep.equal(['202 accepted', first.body.job_id])
    expect(await stored()).to.include({ uploads: 0, spooled: 0 })
  })

  it('by the death of its process leaves no bytes in the spool, and none in the store', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-killed-'))
    const before = await stored()
    const service = await startApiProcess({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: NO_TEMPORAL.address,
      SVC_MASTER_KEY: database.masterKey.toString('hex'),
      SVC_DATA_DIR: dataDir,
    })
    try {
      const { hostname, port } = new URL(service.url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.write(
        `POST /v1/compile HTTP/1.1\r\nHost: x\r\nX-API-Key: ${tenant.key}\r\nContent-Length: 9000000\r\nContent-Type: multipart/form-data; boundary=X\r\n\r\n`,
      )
      socket.write(multipart([spec(), file(rows)], ''))
      const spooled = async () => {
        const { text } = await api.call('GET', '/metrics')
        expect(text).to.contain('svc_uploads_spooled_bytes')
        const page = await fetch(`${service.url}/metrics`)
        return Number(/^svc_uploads_spooled_bytes (\d+)$/m.exec(await page.text())?.[1])
      }
      while ((await spooled()) === 0) await sleep(20)
      service.child.kill('SIGKILL')
      await service.stop()
      expect(await readdir(join(dataDir, 'spool'))).to.deep.equal([])
      await collectStaleUploads(database.db, { olderThanMs: 0 })
      await removeDiscardedChunks(database.db)
      expect(await stored()).to.deep.equal(before)
    } finally {
      service.child.kill('SIGKILL')
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  it('has a limit on the table for every plan', () => {
    const plans = ['anonymous', 'free', 'starter', 'pro', 'teams', 'business', 'enterprise'] as const
    const limits = plans.map((plan) => TEST_LIMITS[`stored_bytes_${plan}`])
    expect(limits).to.deep.equal(limits.toSorted((a, b) => a - b))
  })
})
