import { expect } from 'chai'
import type { Row } from '../../../core/compile/rows/task.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { classifierRunner } from '../../../core/compile/runtime/runners/classifier-runner.ts'
import { eachFeature } from '../../../core/model/classifier/features.ts'
import { FeatureCounts } from '../../../core/model/classifier/hash-table.ts'
import { detectLabelTask } from '../../../core/model/classifier/label-task.ts'
import { mulberry32 } from '../../../core/model/classifier/logistic-regression.ts'
import { buildSparseRows, shareChars } from '../../../core/model/classifier/sparse-rows.ts'
import { trainClassifier } from '../../../core/model/classifier/train-classifier.ts'
import { deskRows, rowsOf } from '../../compile/core/rows/given-rows.ts'

/** The features of `Ünï x` with word 1-2-grams and character 3-grams, in order of occurrence. */
const VECTOR = [1101963351, 1589229864, 162518052, 3191237870, 1898010894, 2013684518, 4224893919]

function train(rows: readonly Row[]) {
  const trained = trainClassifier(rows, { contenders: 3 })
  if (trained === null) throw new Error('not trained')
  return trained
}

describe('classifier', () => {
  it('learns labels and is sure of what it knows', () => {
    const rows = deskRows()
    const { recipe, weights } = train(rows.slice(0, 72))
    const runner = classifierRunner(recipe, weights)
    const right = rows.slice(72).filter((row) => runner.run(row.input).output === row.output)
    expect(right).to.have.length(24)
    expect(runner.run('The oven is broken').output).to.equal('kitchen')
    expect(runner.run('tyre').confidence).to.be.greaterThan(0.5)
  })

  it('gives the same bytes for the same rows', () => {
    const [first, second] = [train(deskRows()), train(deskRows())]
    expect(first.recipe).to.deep.equal(second.recipe)
    expect(Buffer.compare(first.weights, second.weights)).to.equal(0)
  })

  it('learns the rule behind labels of which a quarter is wrong', () => {
    const random = mulberry32(3)
    const pick = (of: number) => Math.floor(random() * of)
    const topics = ['sea', 'wood', 'iron', 'corn']
    // Two words of the topic and four that all topics share.
    const made = (count: number) =>
      Array.from({ length: count }, () => {
        const topic = topics[pick(topics.length)] ?? ''
        const words = Array.from({ length: 6 }, (_, i) => (i < 2 ? `${topic}${pick(40)}` : `common${pick(200)}`))
        return { input: words.toSorted().join(' '), output: topic }
      })
    const fresh = made(500)
    const given = made(400).map((row, i) => ({ ...row, id: `row_${i}` }))
    const withWrong = given.map((row) =>
      random() < 0.25 ? { ...row, output: topics[pick(topics.length)] ?? '' } : row,
    )
    const [noisy, clean] = [withWrong, given].map((rows) => {
      const { recipe, weights, contenders } = train(rows)
      const runner = classifierRunner(recipe, weights)
      return {
        right: fresh.filter(({ input, output }) => runner.run(input).output === output).length / fresh.length,
        inverseStrength: contenders.find(({ chosen }) => chosen)?.inverseStrength,
      }
    })
    expect(noisy?.right).to.be.at.least(0.98)
    expect(noisy?.inverseStrength).to.be.lessThan(30)
    // Where the labels are right, nothing calls for a stronger penalty.
    expect(clean?.inverseStrength).to.equal(30)
  })

  it('lets settings compete by equal work where the work is bounded', () => {
    const trained = trainClassifier(deskRows(), { contenders: 1, share: 0.002 })
    const steps = trained?.contenders.map(({ trainingSteps }) => trainingSteps) ?? []
    expect(new Set(steps)).to.have.property('size', 1)
    // Less than one visit of each row in each of the five folds.
    expect(steps[0]).to.be.below(4 * 96)
  })

  it('abstains below its threshold and on what it has never seen', () => {
    const { recipe, weights } = train(deskRows())
    const strict = classifierRunner({ ...recipe, threshold: 1 }, weights)
    expect(strict.run('Where do I find the oven light')).to.deep.include({ abstained: true, output: null })
    const lenient = classifierRunner(recipe, weights)
    for (const nothing of ['', 'zzz qqq 9911', { other: 'member' }])
      expect(lenient.run(nothing).abstained).to.equal(true)
  })

  it('takes objects, numbers and labels of any scalar type', () => {
    const pairs = Array.from({ length: 40 }, (_, i) => {
      const large = i % 2 === 0
      return [
        { amount: large ? 5000 + i * 10 : 5 + i / 10, note: i % 3 === 0 ? 'late' : 'soon', tags: ['x'] },
        large,
      ] as const
    })
    const { recipe, weights } = train(rowsOf(pairs))
    const runner = classifierRunner(recipe, weights)
    expect(runner.run({ amount: 5123, note: 'soon', tags: [] }).output).to.equal(true)
    expect(runner.run({ amount: 6.55, note: 'late', tags: ['x'] }).output).to.equal(false)
  })

  it('knows label tasks from others', () => {
    expect(detectLabelTask(deskRows().map(({ output }) => output)).applicable).to.equal(true)
    expect(detectLabelTask(['a', 'b', 'c', 'd']).applicable).to.equal(false)
    expect(detectLabelTask(['a', 'a', 'a', 'a']).applicable).to.equal(false)
    expect(detectLabelTask([{ a: 1 }, { a: 1 }, { a: 2 }, { a: 2 }]).applicable).to.equal(false)
  })

  it('bounds what it reads and keeps, whatever the texts hold', () => {
    const noise = mulberry32(7)
    const inputs = Array.from({ length: 300 }, (_, row) => {
      const words = Array.from({ length: 400 }, () => Math.floor(noise() * 2 ** 40).toString(36))
      return `${row % 2 === 0 ? 'alpha' : 'beta'} ${words.join(' ')}`
    })
    let checked = 0
    const settings = { wordGrams: 2, charGrams: [3, 4] } as const
    const rows = buildSparseRows(inputs, settings, { maxColumns: 500, maxChars: 60_000, checkpoint: () => checked++ })
    expect(checked).to.equal(300)
    expect(rows.dictionary).to.have.length(500)
    // 200 characters of each input are read: at most three features a character.
    expect(rows.columns.length).to.be.lessThan(300 * 600)
    const whole = inputs.map((input, row) => ({ id: `${row}`, input, output: row % 2 }))
    expect(() =>
      trainClassifier(whole, {
        contenders: 1,
        checkpoint: () => {
          throw MODEL_ERRORS.compile_cancelled('enough')
        },
      }),
    )
      .to.throw(DomainError)
      .with.property('code', 'compile_cancelled')
  })

  it('counts in bounded space and lets the rarest features go first', () => {
    const counts = new FeatureCounts(1000)
    for (let row = 0; row < 50; row++) {
      for (let common = 1; common <= 20; common++) counts.add(common)
      for (let rare = 0; rare < 200; rare++) counts.add(1_000_000 + row * 200 + rare)
    }
    expect(counts.size).to.be.at.most(1000)
    expect([...counts.mostFrequent(20)]).to.deep.equal(Array.from({ length: 20 }, (_, i) => i + 1))
    expect(shareChars([10, 10, 500, 900], 420)).to.equal(200)
    expect(shareChars([10, 10], 20)).to.equal(Infinity)
  })

  it('hashes features as documented', () => {
    // The same vector stands in docs/formats/classifier-format.md.
    const hashes: number[] = []
    eachFeature('Ünï x', { wordGrams: 2, charGrams: [3, 3] }, (hash) => hashes.push(hash))
    expect(hashes).to.deep.equal(VECTOR)
  })

  it('refuses damaged weights', () => {
    const { recipe, weights } = train(deskRows())
    for (const damaged of [weights.subarray(1), weights.subarray(0, -1), new Uint8Array(4)]) {
      expect(() => classifierRunner(recipe, damaged))
        .to.throw(DomainError)
        .with.property('code', 'recipe_failed')
    }
    expect(() => classifierRunner({ ...recipe, labels: ['a', 'b'] }, weights)).to.throw(DomainError)
  })
})
