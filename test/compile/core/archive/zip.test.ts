import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import { ZipFile } from 'yazl'
import { MEMBER_MODE, MEMBER_TIME } from '../../../../core/compile/archive/zip/layout.ts'
import { readZip } from '../../../../core/compile/archive/zip/read.ts'
import { writeZip, type ZipMember } from '../../../../core/compile/archive/zip/write.ts'

const MEMBERS: readonly ZipMember[] = [
  { name: 'empty.json', bytes: new Uint8Array() },
  { name: 'one.json', bytes: Buffer.from('{}') },
  {
    name: 'rows.json',
    bytes: Buffer.from(JSON.stringify(Array.from({ length: 9000 }, (_, row) => ({ row, text: `row ${row}` })))),
  },
  { name: 'weights.bin', bytes: randomBytes(150_000) },
  { name: 'signature.sig', bytes: Buffer.from('{"signature":"none"}'), stored: true },
]

describe('the zip of an archive', () => {
  it('has the bytes that a zip library writes, so that archives of every version are alike', async () => {
    const zip = new ZipFile()
    for (const { name, bytes, stored } of MEMBERS) {
      zip.addBuffer(Buffer.from(bytes), name, {
        mtime: MEMBER_TIME,
        mode: MEMBER_MODE,
        forceDosTimestamp: true,
        compressionLevel: stored === true ? 0 : 9,
      })
    }
    const written = buffer(zip.outputStream)
    zip.end()
    expect((await writeZip(MEMBERS)).equals(await written)).to.equal(true)
  })

  it('gives its members back, and stores what would look like a bomb', async () => {
    const members = [...MEMBERS, { name: 'zeros.bin', bytes: new Uint8Array(2 ** 21) }]
    const read = await readZip(await writeZip(members))
    expect(read.map(({ name }) => name)).to.deep.equal(members.map(({ name }) => name))
    for (const [place, { bytes }] of members.entries()) {
      expect(Buffer.from(read[place]?.bytes ?? []).equals(Buffer.from(bytes))).to.equal(true)
    }
    expect(read.map(({ method }) => method)).to.deep.equal([8, 8, 8, 8, 0, 0])
  })
})
