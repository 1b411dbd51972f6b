import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openCaptureWriter, type CaptureWriter } from '../../../db/gateway/captures/writer/writer.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { givenTenant } from '../../support/db/given.ts'
import { aCapture } from '../../support/db/given-captures.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { holdRow } from '../../support/stack/held-row.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { testLog } from '../../support/workflows/quiet-runtime.ts'
import { eventually } from '../../support/wire/eventually.ts'

const COUNT = 'select 1 from tenant_storage where tenant_id = $1'

describe('captures that are committed while the count of their tenant is locked', () => {
  const database = useDatabase()
  let folder = ''
  let writer: CaptureWriter
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-capture-room-'))
    writer = openCaptureWriter({
      db: database.db,
      signer: (await loadSigningKeys(database.db)).current,
      folder,
      limits: DEFAULT_LIMITS,
      takeRoom: () => undefined,
      now: () => new Date(),
      log: testLog(),
    })
  })
  afterEach(async () => {
    await writer.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** A tenant whose rows were counted half an hour ago. */
  const givenCounted = async () => {
    const { op } = await givenTenant(database.db)
    const { tenantId } = op
    await sendSql(
      database.db,
      `insert into tenant_storage (tenant_id, used_bytes, counted_at) values ($1, 0, now() - interval '30 minutes')
       on conflict (tenant_id) do update set used_bytes = 0, counted_at = excluded.counted_at`,
      [tenantId],
    )
    const stored = async () => {
      const [row] = await sendSql<{ counted: number; inline: number; held: number; age: number }>(
        database.db,
        `select s.used_bytes::float8 as counted, extract(epoch from now() - s.counted_at)::float8 as age,
           (select inline_bytes from capture_heads where tenant_id = $1)::float8 as inline,
           (select coalesce(sum(reserved_bytes), 0) from blob_uploads where tenant_id = $1)::float8 as held
         from tenant_storage s where s.tenant_id = $1`,
        [tenantId],
      )
      return row ?? expect.fail('the tenant has no count')
    }
    const capture = aCapture(tenantId)
    const content = { storer: { tenantId, plan: 'starter', kind: 'primary' }, captureId: capture.facts.id } as const
    return { tenantId, stored, capture, content }
  }

  it('enter the count behind the lock, and their rows are not counted again', async () => {
    const { tenantId, stored, capture, content } = await givenCounted()
    expect(await writer.room.take({ ...content, bytes: 5000 })).to.equal(null)
    const held = await holdRow(database.db, COUNT, [tenantId])
    try {
      expect(await writer.write(capture, 'before_answer')).to.equal(true)
      const { inline, counted } = await stored()
      expect(inline).to.be.greaterThan(0)
      expect({ counted, taken: writer.room.takenBytes(tenantId) }).to.deep.equal({ counted: 0, taken: inline })
    } finally {
      await held.release()
    }
    const { inline } = await stored()
    await eventually(async () => expect(await stored()).to.include({ counted: inline, held: 0 }))
    expect((await stored()).age).to.be.greaterThan(1000)
    expect(writer.room.takenBytes(tenantId)).to.equal(0)
  })

  it('give the room that was held for them back before the process ends', async () => {
    const { tenantId, stored, capture, content } = await givenCounted()
    const bytes = 2 * DEFAULT_LIMITS.capture_inline_bytes
    await writer.room.promise({ ...content, bytes })
    expect(await stored()).to.include({ counted: bytes, held: bytes })
    const held = await holdRow(database.db, COUNT, [tenantId])
    try {
      expect(await writer.write(capture, 'before_answer')).to.equal(true)
    } finally {
      await held.release()
    }
    await writer.close()
    const { inline, ...rest } = await stored()
    expect(inline).to.be.greaterThan(0)
    expect(rest).to.include({ counted: inline, held: 0 })
  })
})
