import { expect } from 'chai'
import { baseAnswerer } from '../../../activities/learn/bakeoff/base-answerer.ts'
import { presentBakeoff } from '../../../api/learn/bakeoffs/present-bakeoff.ts'
import { bradleyTerry, type Preference } from '../../../core/kernel/statistics/bradley-terry.ts'
import { pairedInterval } from '../../../core/kernel/statistics/paired-interval.ts'
import type { AnswerCost } from '../../../core/learn/evals/bakeoff/answer.ts'
import type { BakeoffOptions } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import { createCache } from '../../../core/learn/evals/bakeoff/cache.ts'
import { comparatorFor, createComparator } from '../../../core/learn/evals/bakeoff/compare-output.ts'
import { readContestant } from '../../../core/learn/evals/bakeoff/contestant.ts'
import { figuresOf, nearestRank, type CountedAnswer } from '../../../core/learn/evals/bakeoff/figures.ts'
import { readVerdict } from '../../../core/learn/evals/bakeoff/judge.ts'
import { comparePairs } from '../../../core/learn/evals/bakeoff/pairs.ts'
import { chooseShown, promptText } from '../../../core/learn/evals/bakeoff/prompts.ts'
import { recommend } from '../../../core/learn/evals/bakeoff/recommend.ts'
import type { OpenGenerator } from '../../../core/model/generation/generators.ts'
import type { ShownBakeoff, ShownContestant } from '../../../db/learn/bakeoffs/find-bakeoff.ts'
import { expectCode } from '../../support/wire/expect-code.ts'

const Z_95 = 1.959963984540054
const FREE: AnswerCost = { latencyMs: 1, cpuMs: 1, inputTokens: null, outputTokens: null, usd: null }

const OPTIONS: BakeoffOptions = {
  comparator: 'exact',
  margin: 0.05,
  rows: 10,
  instruction: null,
  shots: 0,
  maxTokens: 8,
  judge: null,
  judgedRows: 1,
}

/** So many answers, of which the first are right. */
function answers(n: number, right: number, cost: Partial<AnswerCost> = {}): readonly CountedAnswer[] {
  return Array.from({ length: n }, (_, place) => ({
    place,
    group: place,
    isRight: place < right,
    score: place < right ? 1 : 0,
    silence: null,
    cost: { ...FREE, ...cost },
  }))
}

const entry = (place: number, name: string, given: readonly CountedAnswer[]) => ({
  place,
  contestant: readContestant(name, 'name'),
  answers: given,
  figures: figuresOf(given),
})

describe('the statistics of a bake-off', () => {
  it('fit the model of Bradley and Terry as choix does', () => {
    const wins: readonly (readonly [first: number, second: number, won: number, lost: number])[] = [
      [0, 1, 7, 3],
      [0, 2, 9, 1],
      [1, 2, 5, 5],
      [0, 3, 10, 0],
      [1, 3, 6, 4],
      [2, 3, 8, 2],
    ]
    const preferences = wins.flatMap(([first, second, won, lost]): readonly Preference[] => [
      ...Array.from({ length: won }, () => ({ first, second, won: 1 })),
      ...Array.from({ length: lost }, () => ({ first, second, won: 0 })),
    ])
    // choix 0.4.1: opt_pairwise(4, data, alpha=1e-3, method="Newton-CG", tol=1e-12), less its mean; errors by NumPy 2.4.6.
    const expected = [1.46200893, -0.1495767, -0.1495767, -1.16285552]
    const errors = [0.409855, 0.31326252, 0.31326252, 0.36100502]
    for (const [place, { strength, stderr, low, high }] of bradleyTerry(4, preferences).entries()) {
      expect(strength).to.be.closeTo(expected[place] ?? 0, 1e-7)
      expect(stderr).to.be.closeTo(errors[place] ?? 0, 1e-6)
      expect(high - low).to.be.closeTo(2 * Z_95 * stderr, 1e-9)
    }
  })

  it('count a tie half to each side, and keep the strength of one that never lost finite', () => {
    const ties = [
      ...Array.from({ length: 4 }, () => ({ first: 0, second: 1, won: 1 })),
      ...Array.from({ length: 2 }, () => ({ first: 0, second: 1, won: 0 })),
      ...Array.from({ length: 4 }, () => ({ first: 0, second: 1, won: 0.5 })),
    ]
    // choix on the same comparisons twice, each tie as one win a side, with twice the ridge.
    expect(bradleyTerry(2, ties)[0]?.strength).to.be.closeTo(0.20264812, 1e-7)
    const [always] = bradleyTerry(
      2,
      Array.from({ length: 50 }, () => ({ first: 0, second: 1, won: 1 })),
    )
    expect(always?.strength).to.be.within(2, 8)
    expect(bradleyTerry(3, []).map(({ strength }) => strength)).to.deep.equal([0, 0, 0])
  })

  it("bound a paired difference by Tango's score interval", () => {
    // The roots of Tango's statistic, by SciPy 1.17.1's brentq.
    const cases = [
      [12, 5, 100, -0.011863210116, 0.157415605607],
      [0, 0, 52, -0.068792236124, 0.068792236124],
      [3, 9, 44, -0.294785604458, 0.020095797869],
    ] as const
    for (const [won, lost, n, low, high] of cases) {
      const interval = pairedInterval({ won, lost, n }, Z_95)
      expect(interval.low).to.be.closeTo(low, 1e-9)
      expect(interval.high).to.be.closeTo(high, 1e-9)
    }
    expect(pairedInterval({ won: 0, lost: 0, n: 0 }, Z_95)).to.deep.equal({ low: -1, high: 1 })
  })

  it('adjust the p-values of all pairs together, and cluster rows of one group', () => {
    const pairs = comparePairs([
      { place: 0, answers: answers(60, 60) },
      { place: 2, answers: answers(60, 52) },
      { place: 3, answers: answers(60, 50) },
    ])
    expect(pairs.map(({ first, second, won, lost }) => [first, second, won, lost])).to.deep.equal([
      [0, 2, 0, 8],
      [0, 3, 0, 10],
      [2, 3, 0, 2],
    ])
    // SciPy: binomtest(0, 8).pvalue = 2 / 2^8, false_discovery_control of the three.
    const expected = [
      [2 / 2 ** 8, 3 / 2 ** 8],
      [2 / 2 ** 10, 6 / 2 ** 10],
      [0.5, 0.5],
    ]
    for (const [at, { pValue, adjusted }] of pairs.entries()) {
      expect(pValue).to.be.closeTo(expected[at]?.[0] ?? 0, 1e-12)
      expect(adjusted).to.be.closeTo(expected[at]?.[1] ?? 0, 1e-12)
    }
    const talks = answers(60, 45).map((answer) => ({ ...answer, group: Math.floor(answer.place / 10) }))
    const { interval } = figuresOf(talks)
    expect(interval.method).to.equal('clustered')
    const talksRight = figuresOf(talks.map((answer) => ({ ...answer, isRight: true })))
    expect(talksRight).to.deep.include({ interval: { low: 0.6097, high: 1, method: 'wilson' }, smallestEffect: null })
    const single = figuresOf(answers(60, 45)).interval
    expect(interval.high - interval.low).to.be.above(1.5 * (single.high - single.low))
    expect(nearestRank([1, 2, 3, 4], 0.5)).to.equal(2)
    expect(nearestRank([1, 2, 3, 4], 0.95)).to.equal(4)
  })

  it('recommend the cheapest that is shown to be no worse than the best by the margin', () => {
    const best = entry(0, 'prompt_only:big', answers(200, 196, { cpuMs: null, usd: 0.01 }))
    const rule = entry(1, 'rule', answers(200, 195))
    const cache = entry(2, 'cache', answers(200, 120, { cpuMs: 0.1 }))
    const chosen = recommend([best, rule, cache], 0.05)
    expect(chosen).to.include({ place: 1, best: 0 })
    expect(chosen?.leastDifference).to.be.within(-0.05, -0.005)
    // So few rows show nothing, so the best is recommended.
    const few = [entry(0, 'few_shot:big', answers(10, 10, { usd: 0.01 })), entry(1, 'rule', answers(10, 9))]
    expect(recommend(few, 0.05)).to.deep.equal({ place: 0, best: 0, leastDifference: 0 })
    // A model whose cost is not known comes behind one that has a price; none is right anywhere.
    const same = answers(200, 196, { cpuMs: null })
    const unpriced = [entry(0, 'prompt_only:unknown', same), { ...best, place: 1 }]
    expect(recommend(unpriced, 0.05)?.place).to.equal(1)
    expect(recommend([entry(0, 'rule', answers(5, 0))], 0.05)).to.equal(null)
  })
})

describe('the answers of a bake-off', () => {
  it('are compared exactly, without regard to form, or field by field', () => {
    const exact = createComparator('exact', ['Ada'])
    expect([exact('Ada', 'Ada'), exact('ada', 'Ada')].map(({ isRight }) => isRight)).to.deep.equal([true, false])
    const normalized = createComparator('normalized', ['Ada', 1.25])
    expect(normalized(' ADA  ', 'ada').isRight).to.equal(true)
    expect(normalized('Adam', 'ada').isRight).to.equal(false)
    const rows = [
      { city: 'Rome', total: 2.5 },
      { city: 'Oslo', total: 3 },
    ]
    expect(comparatorFor(rows)).to.equal('json_fields')
    expect(comparatorFor(['a', { city: 'Rome' }])).to.equal('normalized')
    const fields = createComparator('json_fields', rows)
    expect(fields({ city: 'rome', total: 9 }, { city: 'Rome', total: 2.5 })).to.deep.equal({
      isRight: false,
      score: 0.5,
    })
    expect(fields({ total: 2.5, city: 'ROME' }, { city: 'Rome', total: 2.5 })).to.deep.equal({
      isRight: true,
      score: 1,
    })
    expect(fields('Rome', { city: 'Rome', total: 2.5 })).to.deep.equal({ isRight: false, score: 0 })
  })

  it('come from a cache for equal and near inputs alone', () => {
    const cache = createCache([
      { input: 'where is my blue parcel', output: 'shipping' },
      { input: { text: 'the invoice is wrong' }, output: 'billing' },
    ])
    expect(cache('where is my blue parcel')).to.equal('shipping')
    expect(cache('Where is my parcel?')).to.equal('shipping')
    expect(cache({ text: 'the invoice is wrong' })).to.equal('billing')
    expect(cache('where are you')).to.equal(undefined)
  })

  it('are asked for with examples of as many outputs as there is room for', async () => {
    const train = ['a', 'a', 'b', 'c'].map((output, place) => ({ place, input: `in ${place}`, output, group: place }))
    const shown = chooseShown(train, 3)
    expect(shown.map(({ output }) => output)).to.deep.equal(['a', 'b', 'c'])
    expect(promptText({ instruction: null, shown: [] }, 'alone')).to.equal('alone')
    expect(promptText({ instruction: 'Sort.', shown: shown.slice(0, 1) }, 'x')).to.equal(
      'Sort.\n\nInput: in 0\nOutput: a\n\nInput: x\nOutput:',
    )
    expect(['{"better": "A"}', 'So: {"better": "tie"}', 'A'].map(readVerdict)).to.deep.equal([1, 0.5, null])
    await expectCode('validation_failed', () => readContestant('prompt_only:', 'contestants[0]'))
  })
  it('are read as JSON from a base where not all outputs are texts, with train rows or without', async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an answer reads of an open base
    const open = {
      base: {
        model: { name: 'tiny', config: { contextLength: 64 } },
        tokenizer: { encode: () => [1] },
        chatTemplate: null,
      },
      generator: {
        generate: async () => await Promise.resolve({ text: '{"total": 2}', promptTokens: 1, newTokens: 3 }),
      },
    } as unknown as OpenGenerator
    const { signal } = new AbortController()
    const contestant = baseAnswerer(open, { options: OPTIONS, train: [], isText: false }, signal)
    const [answer] = await contestant.answer([{ place: 0, input: 'a' }])
    expect(answer?.output).to.deep.equal({ total: 2 })
  })
})

describe('a bake-off', () => {
  const shown = (contestants: readonly Partial<ShownContestant>[]): string | null => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the sentence reads
    const bakeoff = {
      contestants,
      definition: { contestants: [], options: OPTIONS },
      summary: { pairs: [], recommendation: null, judge: null },
      rowCount: 0,
      createdAt: new Date(0),
    } as unknown as ShownBakeoff
    return presentBakeoff(bakeoff).recommendation
  }

  it('says why it recommends no contestant', () => {
    const silent = { errorCode: null, figures: null }
    const failed = { errorCode: 'unknown_model', figures: null } as const
    expect(shown([silent, failed])).to.equal('no held-out row was left to answer: all were forgotten')
    expect(shown([failed])).to.equal('no contestant could answer; the error of each says why')
    expect(shown([failed, { errorCode: null, figures: figuresOf(answers(4, 0)) }])).to.equal(
      'no contestant has a right answer',
    )
  })
})
