import { expect } from 'chai'
import fc from 'fast-check'
import { createRandom } from '../../../core/model/random.ts'
import { planEpochs, planOnce } from '../../../core/model/training/data/batches.ts'
import { chooseBuckets, sizeOf } from '../../../core/model/training/data/buckets.ts'
import { packBatch } from '../../../core/model/training/data/packed-batch.ts'
import { packFirstFitDecreasing } from '../../../core/model/training/data/packing.ts'
import { unitsFor } from '../../../core/model/training/data/units.ts'
import { computedLength } from '../../../core/model/training/rows.ts'

const row = (index: number, prompt: number, answer: number) => ({
  id: `row ${index}`,
  prompt: Array.from({ length: prompt }, (_, i) => 1 + ((index + i) % 50)),
  answer: Array.from({ length: answer }, (_, i) => 51 + ((index + i) % 10)),
  weight: 1,
})

const rowsArbitrary = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 60 })
  .map((sizes) => sizes.map(([prompt, answer], index) => row(index, prompt, answer)))

describe('packing', () => {
  it('fills bins without overlap, first-fit-decreasing', () => {
    const { bins, binOf, startOf } = packFirstFitDecreasing([3, 7, 5, 5, 10], 10)
    expect(bins).to.equal(3)
    expect([...binOf]).to.deep.equal([1, 1, 2, 2, 0])
    expect([...startOf]).to.deep.equal([7, 0, 0, 5, 0])
  })

  it('refuses what is longer than a bin', () => {
    expect(() => packFirstFitDecreasing([11], 10)).to.throw(RangeError, '11 tokens')
  })

  it('never needs more than 11/9 of the volume bound and one bin', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 200 }), (lengths) => {
        const { bins, binOf, startOf } = packFirstFitDecreasing(lengths, 100)
        // Sequences of at most 40 % leave no bin but the last emptier than 60 %.
        expect(bins).to.be.at.most(Math.ceil(lengths.reduce((sum, length) => sum + length, 0) / 60) + 1)
        const taken = Array.from({ length: bins }, () => new Set<number>())
        for (const [index, length] of lengths.entries()) {
          for (let i = 0; i < length; i++) {
            const place = (startOf[index] ?? 0) + i
            expect(place).to.be.below(100)
            const bin = taken[binOf[index] ?? 0]
            expect(bin?.has(place)).to.equal(false)
            bin?.add(place)
          }
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe('batches', () => {
  it('visit every row once in each epoch and always fit their bucket', () => {
    fc.assert(
      fc.property(
        rowsArbitrary,
        fc.integer({ min: 32, max: 600 }),
        fc.integer({ min: 1, max: 3 }),
        (rows, batchTokens, accumulation) => {
          const units = unitsFor(rows, 'supervised', 200)
          const sizes = units.map(sizeOf)
          const buckets = chooseBuckets(sizes, { batchTokens, hiddenSize: 16 })
          for (const steps of planEpochs(sizes, buckets, { epochs: 2, accumulation, seed: 5 })) {
            const batches = steps.flat()
            expect(batches.flatMap((batch) => batch.units).toSorted((a, b) => a - b)).to.deep.equal([...rows.keys()])
            expect(steps.every((step) => step.length <= accumulation)).to.equal(true)
            for (const batch of batches) {
              const packed = packBatch(batch, units)
              expect(packed.usefulTokens).to.be.at.most(batch.bucket.bins * batch.bucket.length)
              expect(packed.spans.reduce((sum, { count }) => sum + count, 0)).to.be.at.most(batch.bucket.answers)
              expect(packed.tokens).to.have.length(batch.bucket.bins * batch.bucket.length)
            }
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('come in another order in each epoch, and in the same one for a seed', () => {
    const sizes = unitsFor(
      Array.from({ length: 30 }, (_, i) => row(i, 10, 3)),
      'supervised',
      64,
    ).map(sizeOf)
    const buckets = chooseBuckets(sizes, { batchTokens: 64, hiddenSize: 16 })
    const plan = (seed: number) => planEpochs(sizes, buckets, { epochs: 2, accumulation: 1, seed })
    expect(plan(1)).to.deep.equal(plan(1))
    expect(plan(1)[0]).not.to.deep.equal(plan(1)[1])
    expect(plan(1)).not.to.deep.equal(plan(2))
  })

  it('hold about equally many tokens', () => {
    const sizes = unitsFor(
      Array.from({ length: 50 }, (_, i) => row(i, 12, 4)),
      'supervised',
      64,
    ).map(sizeOf)
    const buckets = chooseBuckets(sizes, { batchTokens: 256, hiddenSize: 64 })
    const counts = planOnce(sizes, buckets).map((batch) => batch.units.length)
    expect(Math.max(...counts) - Math.min(...counts)).to.be.at.most(1)
  })

  it('leave little room empty where rows are of uneven lengths', () => {
    const random = createRandom(7, 'lengths')
    const rows = Array.from({ length: 400 }, (_, i) => row(i, 12 + random.below(90), 4 + random.below(20)))
    const sizes = unitsFor(rows, 'supervised', 200).map(sizeOf)
    const batches = planOnce(sizes, chooseBuckets(sizes, { batchTokens: 1024, hiddenSize: 256 }))
    const computed = batches.reduce((sum, { bucket }) => sum + bucket.bins * bucket.length, 0)
    expect(sizes.reduce((sum, { tokens }) => sum + tokens, 0) / computed).to.be.above(0.86)
  })

  it('give rows that are far longer than the others bins of their own', () => {
    const rows = [...Array.from({ length: 40 }, (_, i) => row(i, 20, 4)), row(40, 180, 5)]
    const sizes = unitsFor(rows, 'supervised', 200).map(sizeOf)
    const buckets = chooseBuckets(sizes, { batchTokens: 512, hiddenSize: 16 })
    expect(buckets).to.have.length(2)
    expect(buckets[0]?.length).to.be.below(128)
    expect(buckets[1]).to.deep.include({ bins: 1, length: 192 })
  })

  it('lay a sequence out so that every answer token is predicted by the token before it', () => {
    const rows = [row(0, 5, 3), row(1, 2, 4), row(2, 9, 1)]
    const units = unitsFor(rows, 'supervised', 64)
    const sizes = units.map(sizeOf)
    const [planned] = planOnce(sizes, chooseBuckets(sizes, { batchTokens: 64, hiddenSize: 16 }))
    if (planned === undefined) throw new Error('nothing planned')
    const packed = packBatch(planned, units)
    for (const [place, index] of planned.units.entries()) {
      const { prompt = [], answer = [] } = rows[index] ?? {}
      const span = packed.spans[place] ?? { start: 0, count: 0 }
      const text = [...prompt, ...answer]
      for (let i = 0; i < span.count; i++) {
        const position = Number(packed.answerPositions[span.start + i])
        const at = Number(packed.positions[position])
        expect(at).to.equal(prompt.length - 1 + i)
        expect(Number(packed.tokens[position])).to.equal(text[at])
        expect(Number(packed.targets[span.start + i])).to.equal(text[at + 1])
      }
    }
    const segments = [...packed.segments].filter((segment) => segment >= 0n)
    expect(segments).to.have.length(
      units.reduce((sum, { sequences }) => sum + sequences.reduce((n, s) => n + computedLength(s), 0), 0),
    )
  })
})
