import { expect } from 'chai'
import fc from 'fast-check'
import {
  readBfloat16,
  readFloat16,
  writeBfloat16,
  writeFloat16,
} from '../../../core/model/files/safetensors/half-floats.ts'

type Widen = (source: Uint16Array, target: Uint32Array) => void

function widen(read: Widen, ...halves: readonly number[]): Float32Array {
  const bits = new Uint32Array(halves.length)
  read(Uint16Array.from(halves), bits)
  return new Float32Array(bits.buffer)
}

const toFloat16 = (value: number) => writeFloat16(Float32Array.of(value))[0] ?? 0
const toBfloat16 = (value: number) => writeBfloat16(Float32Array.of(value))[0] ?? 0

/** Of two neighbours the nearer one, and of two equally near the one with an even last bit. */
function isNearest(value: number, half: number, read: Widen): boolean {
  const distance = (bits: number) => Math.abs((widen(read, bits)[0] ?? 0) - value)
  const magnitude = half & 0x7fff
  return [magnitude - 1, magnitude + 1]
    .filter((each) => each >= 0)
    .map((each) => (half & 0x8000) | each)
    .every(
      (neighbour) => distance(half) < distance(neighbour) || (distance(half) === distance(neighbour) && half % 2 === 0),
    )
}

describe('half floats', () => {
  it('reads float16 as IEEE 754 says', () => {
    const cases: [number, number][] = [
      [0x3c00, 1],
      [0xc000, -2],
      [0x3555, 0.333251953125],
      [0x7bff, 65504],
      [0x0400, 2 ** -14],
      [0x03ff, 2 ** -14 - 2 ** -24],
      [0x0001, 2 ** -24],
      [0x8000, -0],
      [0x7c00, Infinity],
      [0xfc00, -Infinity],
    ]
    for (const [half, value] of cases) expect(widen(readFloat16, half)[0]).to.equal(value)
    expect(widen(readFloat16, 0x7e00)[0]).to.deep.equal(NaN)
  })

  it('reads bfloat16 as the upper half of a float32', () => {
    expect([...widen(readBfloat16, 0x3f80, 0xc000, 0x4049, 0x7f80)]).to.deep.equal([1, -2, 3.140625, Infinity])
    expect(widen(readBfloat16, 0x7fc0)[0]).to.deep.equal(NaN)
  })

  it('gives every half back that is written after it was read', () => {
    for (let half = 0; half < 0x10000; half++) {
      const isNanFloat16 = (half & 0x7fff) > 0x7c00
      if (!isNanFloat16 && toFloat16(widen(readFloat16, half)[0] ?? 0) !== half) expect.fail(`float16 ${half}`)
      const isNanBfloat16 = (half & 0x7fff) > 0x7f80
      if (!isNanBfloat16 && toBfloat16(widen(readBfloat16, half)[0] ?? 0) !== half) expect.fail(`bfloat16 ${half}`)
    }
  })

  it('rounds to the nearest, ties to even, and overflows to infinity', () => {
    expect(toFloat16(1 + 2 ** -11)).to.equal(0x3c00)
    expect(toFloat16(1 + 3 * 2 ** -11)).to.equal(0x3c02)
    expect(toFloat16(2 ** -25)).to.equal(0)
    expect(toFloat16(1.5 * 2 ** -24)).to.equal(2)
    expect(toFloat16(65519.99)).to.equal(0x7bff)
    expect(toFloat16(65520)).to.equal(0x7c00)
    expect(toFloat16(NaN)).to.equal(0x7e00)
    expect(toBfloat16(1 + 2 ** -8)).to.equal(0x3f80)
    expect(toBfloat16(1 + 3 * 2 ** -8)).to.equal(0x3f82)
    expect(toBfloat16(3.4028234663852886e38)).to.equal(0x7f80)
    expect(toBfloat16(NaN)).to.equal(0x7fc0)
  })

  it('finds no nearer half for any float32', () => {
    const bound = 65000
    fc.assert(
      fc.property(fc.float({ noNaN: true, min: Math.fround(-bound), max: Math.fround(bound) }), (value) => {
        return isNearest(value, toFloat16(value), readFloat16) && isNearest(value, toBfloat16(value), readBfloat16)
      }),
      { numRuns: 500 },
    )
  })
})
