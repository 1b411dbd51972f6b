import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '../../../core/kernel/json/json.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { fitTabular, type FittedTabular } from '../../../core/model/tabular/fit/fit-tabular.ts'
import { conformalInterval } from '../../../core/model/tabular/fit/settle-target.ts'
import { openTabular, type TabularModel } from '../../../core/model/tabular/recipe/open-tabular.ts'
import { fit, gradeRows, learn, loanRows, messageRows, numberRows, productRows, tagRows, topicRows } from './given.ts'

describe('tabular learners', function () {
  this.timeout(180_000)
  let loans: TabularModel
  let fewLoans: FittedTabular
  before(() => {
    loans = learn(loanRows(400), 'label')
    fewLoans = fit(loanRows(120), 'label')
  })

  it('learn labels from numbers, categories, dates, booleans and texts', () => {
    const fresh = loanRows(200, 9)
    const right = fresh.filter(({ input, output }) => loans.answer(input).output === output)
    expect(right.length).to.be.greaterThan(178)
    const kinds = loans.recipe.columns.map(({ kind, path }) => `${path.join('.')} ${kind}`)
    expect(kinds).to.deep.equal([
      'debts number',
      'note text',
      'person.income number',
      'person.is_member boolean',
      'person.work category',
      'since date',
    ])
  })

  it('answer probabilities that mean frequencies', () => {
    const answers = loanRows(500, 5).map(({ input, output }) => ({ ...loans.answer(input), expected: output }))
    const stated = answers.reduce((sum, { confidence }) => sum + confidence, 0) / answers.length
    const right = answers.filter(({ output, expected }) => output === expected).length / answers.length
    expect(stated).to.be.closeTo(right, 0.05)
  })

  it('learn numbers with an interval that covers nine of ten', () => {
    const rows = numberRows(700)
    const model = learn(rows.slice(0, 400), 'number')
    const fresh = rows.slice(400)
    let squares = 0
    let covered = 0
    for (const { input, output } of fresh) {
      const { output: answer, interval, confidence } = model.answer(input)
      expect(confidence).to.equal(0.9)
      squares += (Number(answer) - Number(output)) ** 2
      covered += Number((interval?.[0] ?? 0) <= Number(output) && Number(output) <= (interval?.[1] ?? 0))
    }
    expect(Math.sqrt(squares / fresh.length)).to.be.lessThan(0.6)
    expect(covered / fresh.length).to.be.within(0.84, 0.97)
  })

  it('learn a product of two columns, which no tree of one column shows', () => {
    const rows = productRows(200)
    const model = learn(rows.slice(0, 100), 'number')
    const misses = rows.slice(100).map(({ input, output }) => Number(model.answer(input).output) - Number(output))
    // HistGradientBoostingRegressor of scikit-learn 1.9.1 misses such rows by 5.4 to 5.9, ridge regression by 8.1 to 8.3.
    expect(Math.sqrt(misses.reduce((sum, miss) => sum + miss * miss, 0) / misses.length)).to.be.lessThan(5.4)
  })

  it('round numbers as the rows do', () => {
    const rows = numberRows(120).map(({ input, output }) => ({ input, output: Math.round(Number(output) * 4) }))
    expect(learn(rows, 'number').answer([0.2, 0.3, 0.4]).output).to.satisfy(Number.isInteger)
  })

  it('learn lists of labels, in the order of the rows', () => {
    const rows = tagRows(400)
    const model = learn(rows.slice(0, 250), 'labels')
    const right = rows
      .slice(250)
      .filter(({ input, output }) => canonicalJson(model.answer(input).output) === canonicalJson(output))
    expect(right.length).to.be.greaterThan(140)
    expect(model.answer({ hours: 2, size: 49, country: 'US' }).output).to.deep.equal(['urgent', 'large', 'foreign'])
    expect(model.answer({ hours: 90, size: 2, country: 'DE' }).output).to.deep.equal([])
  })

  it('learn the topics of texts from words that few of them have', () => {
    const rows = topicRows(300)
    const model = learn(rows.slice(0, 150), 'labels')
    const right = rows
      .slice(150)
      .filter(({ input, output }) => canonicalJson(model.answer(input).output) === canonicalJson(output))
    expect(right.length).to.be.greaterThan(140)
  })

  it('learn the topics of texts without spaces from their characters', () => {
    const rows = messageRows(200)
    const model = learn(rows.slice(0, 100), 'labels')
    const right = rows
      .slice(100)
      .filter(({ input, output }) => canonicalJson(model.answer(input).output) === canonicalJson(output))
    expect(right.length).to.be.greaterThan(95)
  })

  it('learn a number from the words of a text', () => {
    const rows = gradeRows(300)
    const model = learn(rows.slice(0, 200), 'number')
    const near = rows
      .slice(200)
      .filter(({ input, output }) => Math.abs(Number(model.answer(input).output) - Number(output)) <= 1)
    expect(near.length).to.be.greaterThan(90)
  })

  it('give the same bytes for the same rows and seed, on every machine', () => {
    const again = fit(loanRows(120), 'label')
    expect(again.recipe).to.deep.equal(fewLoans.recipe)
    expect(Buffer.compare(again.weights, fewLoans.weights)).to.equal(0)
    expect(createHash('sha256').update(again.weights).digest('hex')).to.equal(GOLDEN)
    expect(Buffer.compare(fit(loanRows(120), 'label', 7).weights, again.weights)).to.not.equal(0)
  })

  it('take numbers and lists of numbers as they are', () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({ input: i, output: i < 30 ? 'low' : 'high' }))
    expect(learn(rows, 'label').answer(7).output).to.equal('low')
    expect(learn(rows, 'label').answer(55).output).to.equal('high')
  })

  it('learn three labels from four rows without being certain', () => {
    const rows = [1, 2, 30, 400].map((size, i) => ({ input: { size }, output: ['s', 's', 'm', 'l'][i] ?? '' }))
    const { output, confidence } = learn(rows, 'label').answer({ size: 2 })
    expect(['s', 'm', 'l']).to.include(output)
    expect(confidence).to.be.lessThan(0.95)
  })

  it('say which outputs and inputs they cannot learn from', () => {
    const why = (rows: readonly { input: Json; output: Json }[], target: 'label' | 'number' | 'labels') => {
      const fitted = fitTabular(rows, { target, seed: 0, share: 1, checkpoint: () => undefined })
      return 'reason' in fitted ? fitted.reason : 'fitted'
    }
    const rows = (outputs: readonly Json[]) => outputs.map((output, i) => ({ input: i, output }))
    expect(why(rows(['a', 'a', 'a']), 'label')).to.equal('outputs are not 2 to 1000 different short scalars')
    expect(why(rows([1, '2', 3]), 'number')).to.equal('outputs are not numbers that differ')
    expect(why(rows([1e300, 2, 3]), 'number')).to.equal('outputs are not numbers that differ')
    expect(why(rows([['a', 'a'], ['b']]), 'labels')).to.equal('outputs are not lists of at most 100 different labels')
    const same = rows(['a', 'b', 'a', 'b']).map(({ output }) => ({ input: { x: 1 }, output }))
    expect(why(same, 'label')).to.equal('no member of the inputs differs from row to row')
  })

  it('stop at a checkpoint', () => {
    const checkpoint = (): void => {
      throw MODEL_ERRORS.compile_cancelled('enough')
    }
    expect(() => fitTabular(loanRows(50), { target: 'label', seed: 0, share: 1, checkpoint }))
      .to.throw()
      .with.property('code', 'compile_cancelled')
  })

  it('state the coverage that few rows allow', () => {
    expect(conformalInterval([3, 1, 2])).to.deep.equal({ coverage: 0.75, half_width: 3 })
    expect(conformalInterval(Array.from({ length: 19 }, (_, i) => i + 1))).to.deep.equal({
      coverage: 0.9,
      half_width: 18,
    })
    expect(conformalInterval([])).to.equal(null)
  })

  it('answer inputs that are nothing like the rows', () => {
    const model = openTabular(fewLoans.recipe, fewLoans.weights)
    for (const input of [null, 'text', 7, [], {}, { person: { income: 1e300, work: 'new' }, debts: 'NaN', since: 3 }])
      expect(['grant', 'ask', 'refuse']).to.include(model.answer(input).output)
  })
})

/** Digest of the weights of `loanRows(120)`: it changes with the learners, not with machine or engine. */
const GOLDEN = '9a0267babd3fb342dc423bc1282795dfe2d080844ba4a15318b37a816e6bcfe5'
