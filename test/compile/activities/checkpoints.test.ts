import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { trainHere } from '../../../activities/compile/compile/adapter/train-here.ts'
import { adapterHash } from '../../../core/model/files/lora-adapter.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import {
  findTrainingRecords,
  putTrainingRecords,
  releaseTraining,
} from '../../../db/compile/progress/training/training-records.ts'
import { createTemporalClient, type TemporalClient } from '../../../temporal/client.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { testStack } from '../../support/stack/stack.ts'
import { testLog } from '../../support/workflows/quiet-runtime.ts'
import { givenFit, type GivenFit } from './given-fit.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const BASES = fileURLToPath(new URL('../../model/golden', import.meta.url))

/** From the second checkpoint on, the disk is full when one half of a blob is written. */
const FILL_DISK = `
  create function refuse_chunks() returns trigger language plpgsql as $$
  begin
    if exists (select 1 from training_records where role = 'checkpoint') then
      raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
    end if;
    return new;
  end $$;
  create trigger refuse_chunks after insert on blob_chunks for each row execute function refuse_chunks()`

describe('checkpoints of a fit', () => {
  const database = useDatabase()
  let temporal: TemporalClient
  let whole: GivenFit
  let expected: Sha256
  before(async () => {
    const { temporalAddress } = await testStack()
    temporal = createTemporalClient({ address: temporalAddress, namespace: 'default', codecKey: undefined })
    whole = await givenFit(database.db, BASES)
    expected = await hashOfFit(whole)
  })
  after(() => temporal.close())

  async function hashOfFit({ jobId, inputSha256, op }: GivenFit): Promise<Sha256> {
    const { fitted } = await trainHere(
      {
        db: database.db,
        temporal,
        limits: { ...DEFAULT_LIMITS, trainer_threads: 1, trainer_checkpoint_s: 0.01 },
        baseFolders: [BASES],
        log: testLog(),
        now: () => new Date(),
      },
      { jobId, inputSha256, tenantId: op.tenantId },
      { signal: new AbortController().signal, attempt: 1, note: () => undefined, progress: () => undefined },
    )
    return adapterHash(fitted.adapter)
  }

  const codesOf = async ({ op, jobId }: GivenFit): Promise<readonly unknown[]> =>
    (await listEvents(op, { jobId, afterSeq: 0, limit: 1000 }))
      .filter(({ kind }) => kind === 'log')
      .map(({ body }) => body['code'])
      .filter((code) => code !== undefined)
  const checkpointOf = async ({ jobId, inputSha256, op }: GivenFit) =>
    (await findTrainingRecords(op, { jobId, fit: inputSha256 })).get('checkpoint')

  it('are done without when the disk is full: the fit says so once, ends, and the last whole one stays good', async () => {
    const { db } = database
    const given = await givenFit(db, BASES)
    expect(given.inputSha256).to.equal(whole.inputSha256)
    await releaseTraining(whole.op, whole.jobId)
    await sendSql(db, FILL_DISK, [])
    try {
      expect(await hashOfFit(given)).to.equal(expected)
    } finally {
      await sendSql(db, 'drop function refuse_chunks cascade', [])
    }
    expect(await codesOf(given)).to.deep.equal(['checkpoint_failed'])
    const [left] = await sendSql<{ n: number }>(
      db,
      `select count(*)::int as n from blob_chunks c
       where not exists (select 1 from blobs b where b.storage_id = c.storage_id)
         and not exists (select 1 from blob_discards d where d.storage_id = c.storage_id)`,
      [],
    )
    expect(left?.n).to.equal(0)
    const kept = await checkpointOf(given)
    expect((await getBlob(db, kept?.blobSha256 ?? 'sha256:', 2 ** 24)).length).to.be.greaterThan(1000)
    expect(await hashOfFit(given)).to.equal(expected)
    expect(await codesOf(given)).to.deep.equal(['checkpoint_failed', 'fit_resumed'])
  })

  it('are not gone on from when they are damaged: the fit begins again, and says so', async () => {
    const { db } = database
    const given = await givenFit(db, BASES)
    const damaged = new Uint8Array(5000).fill(7)
    const { sha256: blobSha256 } = await putBlob(db, damaged)
    const record = { role: 'checkpoint', blobSha256, facts: { step: 7 } } as const
    const { jobId, inputSha256 } = given
    await putTrainingRecords(given.op, { jobId, fit: inputSha256, now: new Date(), records: [record] })
    expect(await hashOfFit(given)).to.equal(expected)
    expect(await codesOf(given)).to.deep.equal(['fit_resumed', 'checkpoint_unusable'])
  })
})
