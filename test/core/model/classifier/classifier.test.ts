import { expect } from 'chai'
import type { Row } from '../../../../core/compiler/task.ts'
import { DomainError } from '../../../../core/errors.ts'
import { classifierRunner } from '../../../../core/model/classifier/classifier-runner.ts'
import { eachFeature } from '../../../../core/model/classifier/features.ts'
import { detectLabelTask } from '../../../../core/model/classifier/label-task.ts'
import { trainClassifier } from '../../../../core/model/classifier/train-classifier.ts'
import { deskRows, rowsOf } from '../../compiler/rows.ts'

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

  it('hashes features as documented', () => {
    // The same vector stands in docs/classifier-format.md.
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
