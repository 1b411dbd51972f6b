import { expect } from 'chai'
import { templateSignature, templateText } from '../../../core/gateway/captures/template.ts'
import { valueOf } from '../../../core/kernel/wire/figure.ts'
import { sumFigures, type TrafficFigures } from '../../../core/learn/traffic/cluster.ts'
import { repeatRate } from '../../../core/learn/traffic/repeat-rate.ts'
import { monthlySaving } from '../../../core/learn/traffic/saving.ts'
import { ALIKE, likenessOf, sketchOf } from '../../../core/learn/traffic/sketch.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-11-30T00:00:00Z')

/** Instructions that state a task. */
const INSTRUCTIONS =
  'You are the router of a support desk. Read the ticket of a customer and answer with the name of the team that handles it: shipping, billing, accounts or returns. Answer with one word.'

const figures = (given: Partial<TrafficFigures> = {}): TrafficFigures => ({
  calls: 10,
  pricedCalls: 10,
  statedCalls: 0,
  costMicros: 3_000_000,
  timedCalls: 10,
  latencyUs: 4_000_000,
  tried: 10,
  hits: 8,
  firstAt: new Date(NOW.getTime() - 10 * DAY_MS),
  lastAt: NOW,
  ...given,
})

describe('the template of a call', () => {
  it('is its instructions alone where these state the task, since the turn is data then', () => {
    const of = (lastUser: string, system = INSTRUCTIONS) => templateSignature({ system, lastUser })
    expect(of('My parcel never came!')).to.equal(of('Refund me. Order 7731.'))
    expect(of('Translate to French: my parcel')).to.not.equal(of('My parcel never came!'))
    expect(of('My parcel never came!', 'Be brief.')).to.not.equal(of('Refund me.', 'Be brief.'))
    expect(of('My parcel never came!', `${INSTRUCTIONS} Be polite.`)).to.not.equal(of('My parcel never came!'))
  })

  it('holds no number, address, quotation or placeholder of a call', () => {
    const text = templateText({
      system: '',
      lastUser: 'Mail "Ada" at ada@example.org about VAR_NAME_1, order 17: soon',
    })
    expect(text).to.equal('\nmail <s> at <email> about <v>, order <n>:')
    expect(templateText({ system: INSTRUCTIONS, lastUser: ' ' })).to.equal(null)
  })
})

describe('the sketch of a template', () => {
  it('is alike for texts that differ in a few words, and not for texts of another task', () => {
    const sketch = sketchOf(INSTRUCTIONS)
    expect(sketch).to.have.length(512)
    expect(likenessOf(sketch, sketchOf(INSTRUCTIONS))).to.equal(1)
    expect(likenessOf(sketch, sketchOf(INSTRUCTIONS.replace('customer', 'client')))).to.be.at.least(ALIKE)
    const other = 'You are a translator. Write what you are given in French, and keep names and numbers as they are.'
    expect(likenessOf(sketch, sketchOf(other))).to.be.below(0.3)
    expect(likenessOf(sketchOf(''), sketchOf('ab'))).to.be.below(ALIKE)
  })

  it('estimates the likeness of two sets of shingles', () => {
    const words = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `word${(from + i) * 7919}`).join(' ')
    const [one, other] = [sketchOf(words(0, 60)), sketchOf(words(20, 80))]
    // 40 of 80 words are in both.
    expect(likenessOf(one, other)).to.be.within(0.4, 0.7)
  })
})

describe('the saving of a month', () => {
  it('is the cost of 30 days times the measured hit rate', () => {
    const saving = monthlySaving(figures(), null, NOW)
    expect(saving.usd).to.equal(7.2)
    expect(saving.observedDays).to.equal(10)
    expect(saving.costUsd).to.deep.include({ value: 3, n: 10 })
    expect(saving.hitRate).to.deep.include({ value: 0.8, n: 10 })
  })

  it('takes the accuracy of a compile of the cluster where there is one', () => {
    const { usd, hitRate } = monthlySaving(figures(), { jobId: 'cmp_1', accuracy: 0.95, rows: 40 }, NOW)
    expect(usd).to.equal(8.55)
    expect(hitRate).to.deep.include({ value: 0.95, n: 40, how: 'right answers of cmp_1 on held-out rows' })
  })

  it('is null where no cost is known, and where nothing tells what a recipe would answer', () => {
    const unpriced = monthlySaving(figures({ pricedCalls: 0, costMicros: 0 }), null, NOW)
    expect(unpriced.usd).to.equal(null)
    expect(valueOf(unpriced.costUsd)).to.equal(null)
    expect(monthlySaving(figures({ tried: 0, hits: 0 }), null, NOW).usd).to.equal(null)
  })

  it('counts less than a day as a day, and says who stated the costs', () => {
    const young = figures({ firstAt: new Date(NOW.getTime() - 60_000), statedCalls: 4, calls: 12 })
    const saving = monthlySaving(young, null, NOW)
    expect([saving.usd, saving.observedDays]).to.deep.equal([72, 1])
    expect(saving.costUsd)
      .to.have.property('how')
      .that.contains('4 calls as callers stated it')
      .and.contains('2 more calls have no known cost')
    const older = figures({ firstAt: new Date(NOW.getTime() - 90 * DAY_MS), statedCalls: 10 })
    expect(monthlySaving(older, null, NOW)).to.deep.include({ observedDays: 30, usd: 2.4 })
  })

  it('adds the templates of a cluster', () => {
    const early = new Date(NOW.getTime() - 20 * DAY_MS)
    const sum = sumFigures([figures(), figures({ firstAt: early, calls: 5 })])
    expect(sum).to.deep.include({ calls: 15, pricedCalls: 20, tried: 20, hits: 16, firstAt: early, lastAt: NOW })
    expect(() => sumFigures([])).to.throw(RangeError)
  })
})

describe('the share of calls that repeat', () => {
  it('is measured with the most alike other call', () => {
    const pairs = [
      { input: 'where is my parcel 1', output: 'shipping' },
      { input: 'where is my parcel 2', output: 'shipping ' },
      { input: 'the invoice is wrong', output: 'billing' },
      { input: 'the invoice is too high', output: 'billing' },
      { input: 'the invoice is wrong again', output: 'returns' },
    ]
    expect(repeatRate(pairs)).to.deep.equal({ tried: 5, hits: 3 })
    expect(repeatRate(pairs.slice(0, 1))).to.deep.equal({ tried: 0, hits: 0 })
  })
})
