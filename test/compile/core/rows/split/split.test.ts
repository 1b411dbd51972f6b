import { expect } from 'chai'
import fc from 'fast-check'
import { assertNoLeakage } from '../../../../../core/compile/rows/split/leakage.ts'
import { groupNearDuplicates } from '../../../../../core/compile/rows/split/near-duplicates.ts'
import { splitRows } from '../../../../../core/compile/rows/split/split-rows.ts'
import type { Row } from '../../../../../core/compile/task.ts'
import { DomainError } from '../../../../../core/kernel/errors.ts'
import { canonicalJson } from '../../../../../core/kernel/json/json.ts'
import { deskRows, rowsOf } from '../given-rows.ts'

const distinctRows = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom('a', 'b', 'c')), {
    selector: ([input]) => input,
    minLength: 20,
    maxLength: 120,
  })
  .map(rowsOf)

function sorted(list: readonly number[]): number[] {
  return [...list].sort((a, b) => a - b)
}

describe('split of rows', () => {
  it('puts every row on exactly one side and holds out at most a fifth, rounded up', () => {
    fc.assert(
      fc.property(distinctRows, (rows) => {
        const { mode, train, holdout, provenance } = splitRows(rows)
        expect(mode).to.equal('holdout')
        expect(sorted([...train, ...holdout])).to.deep.equal(rows.map((_, i) => i))
        expect(holdout.length).to.be.within(1, Math.ceil(rows.length / 5))
        expect(provenance).to.deep.include({ train_count: train.length, holdout_count: holdout.length })
      }),
    )
  })

  it('holds out the same rows whatever their order, and others for another seed', () => {
    const inputsOf = (rows: readonly Row[], seed?: string): string[] => {
      const { holdout } = splitRows(rows, seed === undefined ? {} : { seed })
      return holdout.map((place) => canonicalJson(rows[place]?.input ?? null)).sort()
    }
    const rows = deskRows()
    expect(inputsOf(rows.toReversed())).to.deep.equal(inputsOf(rows))
    expect(inputsOf(rows, 'another seed')).not.to.deep.equal(inputsOf(rows))
  })

  it('gives every label its share of the holdout', () => {
    const rows = rowsOf(
      Array.from(
        { length: 50 },
        (_, i) => [`text ${i} ${'abcdefghij'.charAt(i % 10)}`, i < 40 ? 'often' : 'rare'] as const,
      ),
    )
    const { holdout, provenance } = splitRows(rows)
    const rare = holdout.filter((place) => rows[place]?.output === 'rare').length
    expect([holdout.length, rare, provenance.stratified_by]).to.deep.equal([10, 2, 'label'])
  })

  it('keeps near-duplicates on one side', () => {
    const long = (i: number): string =>
      Array.from({ length: 120 }, (_, w) => `word${(w * 37 + i * 1009) % 5000}`).join(' ')
    const pairs = Array.from({ length: 30 }, (_, i) => [
      [long(i), `out ${i}`] as const,
      [`${long(i)} indeed`, `out ${i} again`] as const,
      [`Short One ${i}`, `s${i}`] as const,
      [`short one,  ${i}!`, `t${i}`] as const,
    ]).flat()
    const rows = rowsOf(pairs)
    const groups = groupNearDuplicates(rows.map(({ input }) => input))
    expect(new Set(groups).size).to.equal(60)
    const { holdout, train, provenance } = splitRows(rows)
    const held = new Set(holdout.map((place) => groups[place]))
    expect(train.filter((place) => held.has(groups[place]))).to.deep.equal([])
    expect(provenance.leakage_report).to.deep.include({ near_duplicate_groups: 60, near_duplicate_overlap: 0 })
    expect(provenance.production_ready).to.equal(true)
  })

  it('comes as near to the fifth as near-duplicate groups allow', () => {
    const group = (name: number, size: number) =>
      Array.from({ length: size }, (_, i) => [`Group ${name}${'!'.repeat(i)}`, `out ${name} ${i}`] as const)
    for (const [sizes, expected] of [
      [[7, 5, 5, 7, 7, 7, 7, 5], 10],
      [[3, 3, 3, 3, 3, 3, 3, 3], 3],
      [[4, 4, 4, 4, 4, 1, 1, 1], 5],
      [Array.from({ length: 15 }, () => 6), 18],
    ] as const) {
      const rows = rowsOf(sizes.flatMap((size, name) => group(name, size)))
      const { holdout, provenance } = splitRows(rows)
      expect([holdout.length, provenance.leakage_report.near_duplicate_overlap]).to.deep.equal([expected, 0])
    }
  })

  it('leaves out one row at a time when there are fewer than twenty', () => {
    const { mode, train, holdout } = splitRows(deskRows().slice(0, 19))
    expect([mode, train.length, holdout.length]).to.deep.equal(['leave_one_out', 19, 19])
  })

  it('fails when one input stands on both sides, naming the rows', () => {
    const train = rowsOf([[{ b: 1, a: 2 }, 'x']])
    const holdout = [{ id: 'h', input: { a: 2, b: 1 }, output: 'y' }]
    expect(() => assertNoLeakage(train, holdout))
      .to.throw(DomainError)
      .that.deep.includes({
        code: 'train_holdout_leakage',
        details: { input_overlap: 1, rows: [{ train: 'row_1', holdout: 'h' }] },
      })
  })
})
