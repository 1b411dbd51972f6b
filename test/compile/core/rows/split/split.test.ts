import { expect } from 'chai'
import fc from 'fast-check'
import { assertNoLeakage } from '../../../../../core/compile/rows/split/leakage.ts'
import { groupNearDuplicates } from '../../../../../core/compile/rows/split/near-duplicates.ts'
import { countFolds, planFolds } from '../../../../../core/compile/rows/split/plan-folds.ts'
import { splitApart, splitRows, type SplitOptions } from '../../../../../core/compile/rows/split/split-rows.ts'
import type { Row } from '../../../../../core/compile/rows/task.ts'
import { DomainError } from '../../../../../core/kernel/errors.ts'
import { canonicalJson } from '../../../../../core/kernel/json/json.ts'
import { apart, deskRows, rowsOf } from '../given-rows.ts'

const distinctRows = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom('a', 'b', 'c')), {
    selector: ([input]) => input,
    minLength: 20,
    maxLength: 120,
  })
  .map(rowsOf)

const someRows = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom('a', 'b', 'c')), {
    selector: ([input]) => input,
    minLength: 1,
    maxLength: 60,
  })
  .map(rowsOf)

function sorted(list: readonly number[]): number[] {
  return [...list].sort((a, b) => a - b)
}

const groupsOf = (rows: readonly Row[]) => groupNearDuplicates(rows.map(({ input }) => input))

/** The rows of each fold, by input. */
function foldedInputs(rows: readonly Row[], options: SplitOptions = {}): readonly (readonly string[])[] {
  const { folds = [] } = splitRows(rows, options)
  return folds.map((fold) => fold.map((place) => canonicalJson(rows[place]?.input ?? null)).sort())
}

describe('the fifth that no teacher and no adapter sees', () => {
  it('puts every row on exactly one side and holds out at most a fifth, rounded up', () => {
    fc.assert(
      fc.property(distinctRows, (rows) => {
        const { mode, train, holdout, provenance } = apart(rows)
        expect(mode).to.equal('holdout')
        expect(sorted([...train, ...holdout])).to.deep.equal(rows.map((_, i) => i))
        expect(holdout.length).to.be.within(1, Math.ceil(rows.length / 5))
        expect(provenance).to.deep.include({ train_count: train.length, holdout_count: holdout.length })
      }),
    )
  })

  it('holds out the same rows whatever their order, and others for another seed', () => {
    const inputsOf = (rows: readonly Row[], seed?: string): string[] => {
      const { holdout } = apart(rows, seed === undefined ? {} : { seed })
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
    const { holdout, provenance } = apart(rows)
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
    const { holdout, train, provenance } = apart(rows)
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
      const { holdout, provenance } = apart(rows)
      expect([holdout.length, provenance.leakage_report.near_duplicate_overlap]).to.deep.equal([expected, 0])
    }
  })

  it('is at least two rows, and none of fewer than three', () => {
    for (const count of [3, 5, 9, 10]) expect(apart(deskRows().slice(0, count)).holdout).to.have.length(2)
    expect(apart(deskRows().slice(0, 11)).holdout).to.have.length(3)
    expect(splitApart(deskRows().slice(0, 2))).to.equal(null)
  })
})

describe('folds of rows', () => {
  it('partition the rows, five of them, and as many as rows under ten', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        const { mode, train, holdout, folds = [], provenance } = splitRows(rows)
        expect(mode).to.equal('cross_fit')
        expect(folds).to.have.length(rows.length < 10 ? rows.length : 5)
        const all = rows.map((_, i) => i)
        expect([sorted(folds.flat()), [...train], [...holdout]]).to.deep.equal([all, all, all])
        expect(folds.every(({ length }) => length > 0)).to.equal(true)
        expect(provenance).to.deep.include({ fold_sizes: folds.map(({ length }) => length), fold_rule: 'svc-folds-1' })
      }),
    )
  })

  it('are the same whatever the order of the rows, and others for another seed', () => {
    const rows = deskRows()
    expect(foldedInputs(rows.toReversed())).to.deep.equal(foldedInputs(rows))
    expect(foldedInputs(rows, { seed: 'another seed' })).not.to.deep.equal(foldedInputs(rows))
  })

  it('have sizes that differ by one at most, and their share of every label', () => {
    const rows = rowsOf(Array.from({ length: 53 }, (_, i) => [`text ${i}`, i < 43 ? 'often' : 'rare'] as const))
    const { folds = [], provenance } = splitRows(rows)
    expect(sorted(folds.map(({ length }) => length))).to.deep.equal([10, 10, 11, 11, 11])
    const rare = folds.map((fold) => fold.filter((place) => rows[place]?.output === 'rare').length)
    expect([rare, provenance.stratified_by]).to.deep.equal([[2, 2, 2, 2, 2], 'label'])
  })

  it('keep near-duplicates together, and divide a group that is larger than a fold', () => {
    const group = (name: number, size: number) =>
      Array.from({ length: size }, (_, i) => [`Group ${name}${'!'.repeat(i)}`, `out ${name} ${i}`] as const)
    const small = rowsOf([3, 3, 3, 2, 2, 2].flatMap((size, name) => group(name, size)))
    const whole = splitRows(small)
    const groupOf = groupsOf(small)
    const foldsOf = (name: number) =>
      (whole.folds ?? []).filter((fold) => fold.some((place) => groupOf[place] === name))
    expect([...new Set(groupOf)].map((name) => foldsOf(name).length)).to.deep.equal([1, 1, 1, 1, 1, 1])
    expect(whole.provenance.leakage_report).to.deep.include({
      near_duplicate_groups: 6,
      near_duplicate_rows: 15,
      divided_groups: 0,
      near_duplicate_overlap: 0,
    })
    const large = splitRows(
      rowsOf([...group(0, 4), ...Array.from({ length: 8 }, (_, i) => [`other ${i}`, i] as const)]),
    )
    expect(large.provenance.leakage_report).to.deep.include({ divided_groups: 1, near_duplicate_overlap: 4 })
    expect(sorted(large.folds?.map(({ length }) => length) ?? [])).to.deep.equal([2, 2, 2, 3, 3])
  })

  it('are never empty, however large the groups', () => {
    for (const sizes of [[3, 3, 3, 2], [2, 2, 2, 2, 2], [11], [1, 10]]) {
      const rows = rowsOf(
        sizes.flatMap((size, name) => Array.from({ length: size }, (_, i) => [`G${name}${'!'.repeat(i)}`, i] as const)),
      )
      const { foldOf } = planFolds(rows, groupsOf(rows), 'seed')
      expect(new Set(foldOf).size, sizes.join()).to.equal(countFolds(rows.length))
    }
  })

  it('refuse rows of which two have one input', () => {
    const rows = [...rowsOf([['a', 'x']]), { id: 'twin', input: 'a', output: 'y' }]
    expect(() => splitRows(rows))
      .to.throw(DomainError)
      .that.deep.includes({
        code: 'train_holdout_leakage',
        details: { input_overlap: 1, rows: [{ train: 'row_1', holdout: 'twin' }] },
      })
  })
})

describe('rows that the caller marked as test rows', () => {
  const rows = deskRows().map((row, i) => (i % 4 === 0 ? { ...row, kind: 'test' as const } : row))

  it('score what is fitted on all others, also what a teacher or an adapter saw', () => {
    const split = splitRows(rows)
    const marked = rows.flatMap(({ kind }, i) => (kind === 'test' ? [i] : []))
    expect([split.mode, split.holdout, split.folds]).to.deep.equal(['test_rows', marked, undefined])
    expect(sorted([...split.train, ...split.holdout])).to.deep.equal(rows.map((_, i) => i))
    expect(split.provenance).to.deep.include({ split_mode: 'test_rows', split_seed: null, fold_sizes: null })
    expect(apart(rows)).to.deep.equal(split)
  })

  it('are counted where they are nearly the same as a row to learn from', () => {
    const [first] = rows
    const near = { id: 'near', input: `${JSON.stringify(first?.input)}!`, output: 'x' }
    const { leakage_report: report } = splitRows([...rows, near]).provenance
    expect(report).to.deep.include({ divided_groups: 1, near_duplicate_overlap: 1 })
  })
})

describe('a leak', () => {
  it('fails the split when one input stands on both sides, naming the rows', () => {
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
