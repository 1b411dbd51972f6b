import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { sha256, type Sha256 } from '../../../core/kernel/json/json.ts'
import { collectStaleUploads } from '../../../db/kernel/blobs/collect-uploads.ts'
import { CHUNK_BYTES, chunked } from '../../../db/kernel/blobs/chunks.ts'
import { removeDiscardedChunks } from '../../../db/kernel/blobs/remove-discarded.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { findBlob, getBlob, readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('blob store', () => {
  const test = useDatabase()

  const countChunks = async (): Promise<number> => {
    const [row] = await sendSql<{ chunks: number }>(test.db, 'select count(*) as chunks from blob_chunks')
    return row?.chunks ?? 0
  }

  it('returns the streamed bytes, whole or a range of them', async () => {
    const bytes = randomBytes(CHUNK_BYTES * 2 + 12_345)
    const stored = await putBlob(test.db, inPieces(bytes, 70_001))
    expect(stored).to.deep.equal({ sha256: sha256(bytes), sizeBytes: bytes.length })
    expect(Buffer.compare(await getBlob(test.db, stored.sha256, bytes.length), bytes)).to.equal(0)
    const range = { fromByte: CHUNK_BYTES - 3, toByte: CHUNK_BYTES * 2 + 5 }
    const part = Buffer.concat(await collect(readBlob(test.db, stored.sha256, range)))
    expect(Buffer.compare(part, bytes.subarray(range.fromByte, range.toByte))).to.equal(0)
    await expectCode('payload_too_large', async () => await getBlob(test.db, stored.sha256, 10))
  })

  it('keeps equal content once, also when it arrives at the same time', async () => {
    const bytes = randomBytes(CHUNK_BYTES + 1)
    const before = await countChunks()
    const stored = await Promise.all([1, 2, 3, 4].map(async () => await putBlob(test.db, inPieces(bytes, 99_999))))
    expect(new Set(stored.map((each) => each.sha256)).size).to.equal(1)
    await removeDiscardedChunks(test.db)
    expect(await countChunks()).to.equal(before + 2)
    expect((await putBlob(test.db, new Uint8Array(0))).sizeBytes).to.equal(0)
    expect(await getBlob(test.db, sha256(''), 10)).to.have.length(0)
  })

  it('leaves nothing behind of an upload that fails, is aborted or is too large', async () => {
    const before = await countChunks()
    const bytes = randomBytes(CHUNK_BYTES * 3)
    const broken = async function* () {
      yield bytes.subarray(0, CHUNK_BYTES * 2)
      throw new Error('connection lost')
    }
    await putBlob(test.db, broken()).then(
      () => expect.fail('it must fail'),
      (error: unknown) => expect(error).to.have.property('message', 'connection lost'),
    )
    const aborter = new AbortController()
    const aborted = async function* () {
      yield bytes.subarray(0, CHUNK_BYTES)
      aborter.abort()
      yield bytes.subarray(CHUNK_BYTES)
    }
    await putBlob(test.db, aborted(), { signal: aborter.signal }).then(
      () => expect.fail('it must fail'),
      (error: unknown) => expect(error).to.have.property('name', 'AbortError'),
    )
    await expectCode('payload_too_large', async () => {
      await putBlob(test.db, inPieces(bytes, 50_000), { maxBytes: CHUNK_BYTES })
    })
    expect(await countChunks()).to.equal(before)
    expect(await findBlob(test.db, sha256(bytes))).to.equal(null)
  })

  it('collects the remains of a crash, and only those', async () => {
    const storageId = '00000000-0000-4000-8000-000000000000'
    await sendSql(test.db, "insert into blob_uploads values ($1, now() - interval '2 hours')", [storageId])
    await sendSql(test.db, 'insert into blob_chunks values ($1, 0, $2)', [storageId, Buffer.from('half')])
    const kept = await putBlob(test.db, Buffer.from('whole'))
    expect(await collectStaleUploads(test.db, { olderThanMs: 3_600_000 })).to.equal(1)
    expect(await removeDiscardedChunks(test.db)).to.equal(1)
    const left = await sendSql(test.db, 'select 1 from blob_chunks where storage_id = $1', [storageId])
    expect(left).to.deep.equal([])
    expect(Buffer.from(await getBlob(test.db, kept.sha256, 10)).toString()).to.equal('whole')
    await expectCode('not_found', async () => await getBlob(test.db, `sha256:${'0'.repeat(64)}` satisfies Sha256, 10))
  })

  it('cuts any pieces into chunks of one size', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: CHUNK_BYTES * 2 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const total = lengths.reduce((sum, length) => sum + length, 0)
        const pieces = async function* () {
          for (const length of lengths) yield new Uint8Array(length)
        }
        const chunks = await collect(chunked(pieces()))
        expect(chunks.reduce((sum, chunk) => sum + chunk.length, 0)).to.equal(total)
        expect(chunks.slice(0, -1).every((chunk) => chunk.length === CHUNK_BYTES)).to.equal(true)
        expect(chunks).to.have.length(Math.ceil(total / CHUNK_BYTES))
      }),
      { numRuns: 30 },
    )
  })
})

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}
