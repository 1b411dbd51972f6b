import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { filesOfFolder } from '../../../core/learn/datasets/files/folder.ts'
import { parquetRows } from '../../../core/learn/datasets/files/parquet-rows.ts'
import { processorMsUntil } from '../../support/stack/processor-ms.ts'

describe('a file of a dataset that is made to hurt', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-'))
  after(async () => await rm(folder, { recursive: true }))

  /** Writes a Parquet file of one row with this decompressed page in place of its own. */
  async function parquetWith(compress: (page: Uint8Array) => Uint8Array): Promise<string> {
    const writer = new ByteWriter()
    const schema = [
      { name: 'root', num_children: 1 },
      {
        name: 'text',
        type: 'BYTE_ARRAY' as const,
        converted_type: 'UTF8' as const,
        repetition_type: 'REQUIRED' as const,
      },
    ]
    const file = new ParquetWriter({ writer, schema, codec: 'GZIP', compressors: { GZIP: compress } })
    await file.write({ columnData: [{ name: 'text', data: ['a'.repeat(4000)], type: 'STRING' }], rowGroupSize: 10 })
    await file.finish()
    const path = join(folder, 'bomb.parquet')
    await writeFile(path, writer.getBytes())
    return path
  }

  async function read(path: string, inflatedBytes: number): Promise<string> {
    try {
      const rows = parquetRows('bomb.parquet', path, { rowBytes: 1e6, jsonDepth: 20, inflatedBytes })
      let count = 0
      for await (const _ of rows) count++
      return `${count} rows`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  it('inflates no page beyond the size that it states, nor all pages beyond their bound', async () => {
    const honest = await parquetWith((page) => gzipSync(page))
    expect(await read(honest, 1e6)).to.equal('1 rows')
    expect(await read(honest, 1000)).to.include('20000 rows inflate to more than 1000 bytes')
    const bomb = await parquetWith(() => gzipSync(Buffer.alloc(64 * 1024 * 1024)))
    const before = process.memoryUsage.rss()
    expect(await read(bomb, 1e9)).to.match(/Cannot create a Buffer larger than \d{4} bytes/)
    expect(process.memoryUsage.rss() - before).to.be.below(32 * 1024 * 1024)
  })

  it('has a card whose patterns are matched in linear time', async () => {
    const card = join(folder, 'README.md')
    await writeFile(card, `---\nconfigs:\n- data_files: "${'a*'.repeat(40)}b"\n---\n`)
    const files = [
      { name: 'README.md', path: card },
      { name: `${'a'.repeat(200)}.jsonl`, path: card },
    ]
    const usedMs = await processorMsUntil(async () => {
      const message = await filesOfFolder(files, 'folder').catch((error: unknown) => String(error))
      expect(message).to.include('holds no .jsonl')
    })
    expect(usedMs).to.be.below(2000)
  })
})
