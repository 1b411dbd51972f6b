import { expect } from 'chai'
import { ProtobufWriter } from '../../../core/model/graph/protobuf-writer.ts'

function written(write: (writer: ProtobufWriter) => void): readonly number[] {
  const writer = new ProtobufWriter()
  write(writer)
  return [...writer.toBytes()]
}

describe('ProtobufWriter', () => {
  it('writes the examples of the encoding guide', () => {
    expect(written((writer) => writer.integer(1, 150))).to.deep.equal([0x08, 0x96, 0x01])
    expect(written((writer) => writer.string(2, 'testing'))).to.deep.equal([0x12, 7, ...Buffer.from('testing')])
    expect(written((writer) => writer.message(3, (inner) => inner.integer(1, 150)))).to.deep.equal([
      0x1a, 3, 0x08, 0x96, 0x01,
    ])
  })

  it('writes negative integers as ten bytes and floats as four', () => {
    expect(written((writer) => writer.integer(1, -2))).to.deep.equal([
      0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
    ])
    expect(written((writer) => writer.float(2, 1))).to.deep.equal([0x15, 0, 0, 0x80, 0x3f])
  })

  it('writes numbers beyond 32 bits and field numbers beyond 15', () => {
    expect(written((writer) => writer.integer(20, 2 ** 35))).to.deep.equal([
      0xa0, 0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01,
    ])
  })
})
