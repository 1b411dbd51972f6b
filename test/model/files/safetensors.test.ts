import { expect } from 'chai'
import fc from 'fast-check'
import { DomainError } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { FileLabel } from '../../../core/model/files/safetensors/header.ts'
import { hashTensor, readTensor, readTensorEntries } from '../../../core/model/files/safetensors/read.ts'
import {
  eachSafetensorsPart,
  writeSafetensors,
  type TensorToWrite,
} from '../../../core/model/files/safetensors/write.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { fileOf, sourceOf } from './sources.ts'

const LABEL: FileLabel = { file: 'model.safetensors', error: MODEL_ERRORS.invalid_model }

async function readAll(bytes: Uint8Array): Promise<Map<string, readonly number[]>> {
  const source = sourceOf(bytes)
  const values = new Map<string, readonly number[]>()
  for (const entry of await readTensorEntries(source, LABEL)) {
    const { tensor, digest } = await readTensor(source, entry, LABEL)
    expect(digest).to.equal(await hashTensor(source, entry, LABEL))
    values.set(entry.name, [...tensor.data])
  }
  return values
}

const entry = (from: number, to: number, shape: readonly number[] = [(to - from) / 4], dtype = 'F32') => ({
  dtype,
  shape,
  data_offsets: [from, to],
})

describe('safetensors', () => {
  const tensors: readonly TensorToWrite[] = [
    { name: 'b', dtype: 'F16', shape: [3], data: Float32Array.of(0.5, -1, 65504) },
    { name: 'a', dtype: 'BF16', shape: [2, 1], data: Float32Array.of(1, -0.125) },
    { name: 'z', dtype: 'F32', shape: [2, 2], data: Float32Array.of(1e-30, 2, -3, 4) },
    { name: 'empty', dtype: 'F32', shape: [0, 7], data: new Float32Array() },
    { name: 'scalar', dtype: 'F32', shape: [], data: Float32Array.of(7) },
  ]

  it('reads what it writes', async () => {
    expect(await readAll(writeSafetensors(tensors))).to.deep.equal(
      new Map([
        ['empty', []],
        ['scalar', [7]],
        ['z', [1e-30, 2, -3, 4].map(Math.fround)],
        ['a', [1, -0.125]],
        ['b', [0.5, -1, 65504]],
      ]),
    )
  })

  it('writes the same bytes whatever the order, aligned, at once or in parts', () => {
    const bytes = writeSafetensors(tensors)
    expect(Buffer.compare(bytes, writeSafetensors(tensors.toReversed()))).to.equal(0)
    expect(Buffer.compare(bytes, Buffer.concat([...eachSafetensorsPart(tensors)]))).to.equal(0)
    expect(new DataView(bytes.buffer).getUint32(0, true) % 8).to.equal(0)
    expect(() => writeSafetensors([{ name: 'a', dtype: 'F32', shape: [3], data: new Float32Array(2) }])).to.throw(
      RangeError,
    )
  })

  it('keeps memory that threads can share', async () => {
    const source = sourceOf(writeSafetensors(tensors))
    const [first] = await readTensorEntries(source, LABEL)
    if (first === undefined) throw new Error('no tensor')
    expect((await readTensor(source, first, LABEL)).tensor.data.buffer).to.be.instanceOf(SharedArrayBuffer)
  })

  it('refuses headers that do not describe the file', async () => {
    const huge = fileOf('{}', 0)
    new DataView(huge.buffer, huge.byteOffset).setBigUint64(0, 2n ** 63n, true)
    const cases: [string, Uint8Array, RegExp][] = [
      ['nothing', new Uint8Array(), /truncated/],
      ['half a length', new Uint8Array(7), /truncated/],
      ['a huge header', huge, /at most 100 MB/],
      ['a header beyond the file', Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0, 123, 125), /beyond the file/],
      ['no JSON', fileOf('{nonsense', 0), /not valid JSON/],
      ['a list', fileOf('[]', 0), /JSON object/],
      ['deep nesting', fileOf('['.repeat(1000), 0), /nests deeper/],
      ['a name twice', fileOf('{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{}}', 0), /twice/],
      ['an offset outside', fileOf({ a: entry(0, 8) }, 4), /beyond the file/],
      ['overlapping tensors', fileOf({ a: entry(0, 8), b: entry(4, 12) }, 12), /overlaps/],
      ['a gap', fileOf({ a: entry(0, 4), b: entry(8, 12) }, 12), /belong to no tensor/],
      ['bytes at the end', fileOf({ a: entry(0, 4) }, 5), /1 bytes at its end/],
      ['too few bytes for the shape', fileOf({ a: entry(0, 4, [2]) }, 4), /needs 8/],
      ['a product that overflows', fileOf({ a: entry(0, 0, [2 ** 40, 2 ** 40, 2 ** 40]) }, 0), /needs \d{30,}/],
      ['a negative size', fileOf({ a: entry(0, 4, [-1, -1]) }, 4), /whole numbers/],
      ['a fraction', fileOf({ a: entry(0, 4, [0.5]) }, 4), /whole numbers/],
      ['an end before the start', fileOf({ a: entry(4, 0, [0]) }, 4), /before it starts/],
      ['one offset', fileOf({ a: { dtype: 'F32', shape: [], data_offsets: [0] } }, 4), /data_offsets/],
      ['another element type', fileOf({ a: entry(0, 4, [4], 'I8') }, 4), /"I8"; F32, F16 and BF16/],
      ['an inherited element type', fileOf({ a: entry(0, 4, [1], 'toString') }, 4), /"toString"/],
      ['metadata that is no text', fileOf({ __metadata__: { a: 1 } }, 0), /__metadata__/],
    ]
    for (const [what, bytes, message] of cases) {
      const error = await expectCode('invalid_model', async () => await readAll(bytes))
      expect(error.message, what).to.match(message)
    }
  })

  it('refuses values that are not finite, by the name of their tensor', async () => {
    for (const dtype of ['F32', 'F16', 'BF16'] as const) {
      const bytes = writeSafetensors([{ name: 'norm', dtype, shape: [2], data: Float32Array.of(1, Infinity) }])
      const error = await expectCode('invalid_model', async () => await readAll(bytes))
      expect(error.message).to.include('tensor norm holds a value that is not finite')
    }
  })

  it('says so when a file becomes shorter while it is read', async () => {
    const bytes = writeSafetensors(tensors)
    const source = { ...sourceOf(bytes), read: async () => await Promise.resolve(0) }
    await expectCode('invalid_model', async () => await readTensorEntries(source, LABEL))
  })

  it('survives any change of a file: reads it or refuses it, and never reads outside', async () => {
    const bytes = writeSafetensors(tensors)
    const change = fc.record({ at: fc.nat(bytes.length - 1), byte: fc.integer({ min: 0, max: 255 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), fc.nat(bytes.length), async (changes, cut) => {
        const mutated = Uint8Array.from(changes.length === 0 ? bytes.subarray(0, cut) : bytes)
        for (const { at, byte } of changes) mutated[at] = byte
        try {
          await readAll(mutated)
        } catch (error) {
          if (!(error instanceof DomainError)) throw error
        }
      }),
      { numRuns: 300 },
    )
  })

  it('survives any header', async () => {
    const shape = fc.array(fc.oneof(fc.nat(4), fc.maxSafeInteger(), fc.double()), { maxLength: 3 })
    const value = fc.record({
      dtype: fc.constantFrom('F32', 'F16', 'BF16', 'I64', 7),
      shape: fc.oneof(shape, fc.jsonValue()),
      data_offsets: fc.oneof(fc.tuple(fc.nat(40), fc.nat(40)), fc.jsonValue()),
    })
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), value, { maxKeys: 3 }), fc.nat(64), async (header, size) => {
        try {
          await readAll(fileOf(header, size))
        } catch (error) {
          if (!(error instanceof DomainError)) throw error
        }
      }),
      { numRuns: 300 },
    )
  })
})
