import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { ktoLoss } from '../../../core/model/training/objectives/kto.ts'
import {
  defaultObjective,
  isPreference,
  OBJECTIVES,
  type PreferenceSettings,
} from '../../../core/model/training/objectives/objective.ts'
import { preferenceLoss } from '../../../core/model/training/objectives/preference.ts'
import type { ScoredUnit } from '../../../core/model/training/objectives/scored.ts'
import { supervisedWeights } from '../../../core/model/training/objectives/supervised.ts'

const answer = fc.record({
  logProb: fc.double({ min: -60, max: -0.01, noNaN: true }),
  reference: fc.double({ min: -60, max: -0.01, noNaN: true }),
  tokens: fc.integer({ min: 1, max: 30 }),
})
const units = fc.array(
  fc.record({
    weight: fc.double({ min: 0.25, max: 2, noNaN: true }),
    isDesirable: fc.boolean(),
    answers: fc.tuple(answer, answer),
  }),
  { minLength: 1, maxLength: 5 },
)

const SETTINGS: readonly PreferenceSettings[] = [
  { kind: 'dpo', beta: 0.1 },
  { kind: 'dpo', beta: 0.7 },
  { kind: 'simpo', beta: 2, gammaBetaRatio: 0.5 },
  { kind: 'orpo', lambda: 0.1 },
  { kind: 'orpo', lambda: 1.5 },
]

/** The units with one log-probability moved. */
function moved(all: readonly ScoredUnit[], unit: number, place: number, by: number): readonly ScoredUnit[] {
  return all.map((each, index) =>
    index !== unit
      ? each
      : {
          ...each,
          answers: each.answers.map((one, i) => (i === place ? { ...one, logProb: one.logProb + by } : one)),
        },
  )
}

describe('objectives', () => {
  for (const objective of SETTINGS) {
    it(`${JSON.stringify(objective)} has the slopes of its loss`, () => {
      fc.assert(
        fc.property(units, (scored) => {
          const { slopes } = preferenceLoss(objective, scored)
          for (const [index, own] of slopes.entries()) {
            for (const [place, slope] of own.entries()) {
              const step = 1e-4
              const up = preferenceLoss(objective, moved(scored, index, place, step)).loss
              const down = preferenceLoss(objective, moved(scored, index, place, -step)).loss
              expect(slope).to.be.closeTo((up - down) / (2 * step), 1e-4 * (1 + Math.abs(slope)))
            }
          }
        }),
        { numRuns: 50 },
      )
    })
  }

  it('kto has the slopes of its loss at a fixed reference point', () => {
    const settings = { beta: 0.3, desirableWeight: 1, undesirableWeight: 1.5 }
    fc.assert(
      fc.property(units, fc.double({ min: 0, max: 3, noNaN: true }), (scored, point) => {
        for (const unit of scored) {
          const lossAt = (by: number): number => {
            const [shifted = unit] = moved([unit], 0, 0, by)
            return ktoLoss(shifted, point, settings).loss
          }
          const [own = 0, other] = ktoLoss(unit, point, settings).slopes
          expect(own).to.be.closeTo((lossAt(1e-4) - lossAt(-1e-4)) / 2e-4, 1e-5)
          expect(other).to.equal(0)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('stay finite for answers that are certain or impossible', () => {
    const unit = (chosen: number, rejected: number): ScoredUnit => ({
      weight: 1,
      isDesirable: true,
      answers: [
        { logProb: chosen, reference: 0, tokens: 1 },
        { logProb: rejected, reference: 0, tokens: 1 },
      ],
    })
    for (const name of OBJECTIVES) {
      const objective = defaultObjective(name)
      if (!isPreference(objective)) continue
      for (const scored of [unit(0, -1e4), unit(-1e4, 0), unit(0, 0)]) {
        const { loss, slopes } = preferenceLoss(objective, [scored])
        for (const number of [loss, ...slopes.flat()]) expect(number, objective.kind).to.satisfy(Number.isFinite)
      }
    }
  })

  it('count a row by its own weight', () => {
    fc.assert(
      fc.property(units, (scored) => {
        const objective = { kind: 'dpo', beta: 0.2 } as const
        const twice = scored.map((unit) => ({ ...unit, weight: 2 * unit.weight }))
        expect(preferenceLoss(objective, twice).loss).to.be.closeTo(preferenceLoss(objective, scored).loss, 1e-9)
        const [first] = scored
        if (first === undefined) return
        const doubled = preferenceLoss(objective, [{ ...first, weight: 2 * first.weight }, ...scored.slice(1)]).loss
        const repeated = preferenceLoss(objective, [first, ...scored]).loss
        expect(doubled).to.be.closeTo(repeated, 1e-9)
      }),
    )
  })

  it('average the answer tokens of a step by the weights of their rows', () => {
    expect(supervisedWeights([{ weight: 1 }, { weight: 0.5 }], [2, 4])).to.deep.equal([0.25, 0.125])
    expect(supervisedWeights([{ weight: 0 }], [3])).to.deep.equal([0])
  })
})

const numbers = z.array(z.number())
const PairCase = z.object({
  chosen: numbers,
  rejected: numbers,
  losses: numbers,
  chosenGradient: numbers,
  rejectedGradient: numbers,
  chosenLengths: numbers.optional(),
  rejectedLengths: numbers.optional(),
  referenceChosen: numbers.optional(),
  referenceRejected: numbers.optional(),
  beta: z.number().optional(),
  gamma: z.number().optional(),
  lambda: z.number().optional(),
})
const KtoCase = z.object({
  objective: z.literal('kto'),
  logProbs: numbers,
  reference: numbers,
  labels: z.array(z.boolean()),
  klLogRatios: numbers,
  beta: z.number(),
  desirableWeight: z.number(),
  undesirableWeight: z.number(),
  losses: numbers,
  gradient: numbers,
})
const Golden = z.object({
  cases: z.array(
    z.union([
      KtoCase,
      PairCase.extend({ objective: z.literal('dpo') }),
      PairCase.extend({ objective: z.literal('simpo') }),
      PairCase.extend({ objective: z.literal('orpo') }),
    ]),
  ),
})

describe('objectives beside torch and trl', () => {
  const { cases } = Golden.parse(
    JSON.parse(readFileSync(new URL('../golden/preference.json', import.meta.url), 'utf8')),
  )

  for (const [index, golden] of cases.entries()) {
    it(`${golden.objective}, case ${index}`, () => {
      const { objective, units: scored, slopes } = caseOf(golden)
      const result = preferenceLoss(objective, scored)
      const mean = golden.losses.reduce((sum, loss) => sum + loss, 0) / golden.losses.length
      expect(result.loss).to.be.closeTo(mean, 1e-6 * (1 + mean))
      for (const [row, expected] of slopes.entries()) {
        for (const [place, slope] of expected.entries()) {
          expect(result.slopes[row]?.[place]).to.be.closeTo(slope, 1e-6)
        }
      }
    })
  }
})

function caseOf(golden: z.infer<typeof Golden>['cases'][number]): {
  objective: PreferenceSettings
  units: ScoredUnit[]
  slopes: number[][]
} {
  if (golden.objective === 'kto') {
    const { beta, desirableWeight, undesirableWeight } = golden
    const units = golden.logProbs.map((logProb, i) => ({
      weight: 1,
      isDesirable: golden.labels[i] ?? true,
      answers: [
        { logProb, reference: golden.reference[i] ?? 0, tokens: 1 },
        { logProb: golden.klLogRatios[i] ?? 0, reference: 0, tokens: 1 },
      ],
    }))
    const objective = { kind: 'kto', beta, desirableWeight, undesirableWeight } as const
    return { objective, units, slopes: golden.gradient.map((slope) => [slope, 0]) }
  }
  const answers = (
    logProbs: readonly number[],
    reference: readonly number[] | undefined,
    lengths: readonly number[] | undefined,
  ) => logProbs.map((logProb, i) => ({ logProb, reference: reference?.[i] ?? 0, tokens: lengths?.[i] ?? 1 }))
  const chosen = answers(golden.chosen, golden.referenceChosen, golden.chosenLengths)
  const rejected = answers(golden.rejected, golden.referenceRejected, golden.rejectedLengths)
  const units = chosen.flatMap((one, i) => {
    const other = rejected[i]
    return other === undefined ? [] : [{ weight: 1, isDesirable: true, answers: [one, other] }]
  })
  const slopes = golden.chosenGradient.map((slope, i) => [slope, golden.rejectedGradient[i] ?? 0])
  const { beta = 1, gamma = 0, lambda = 0 } = golden
  switch (golden.objective) {
    case 'dpo':
      return { objective: { kind: 'dpo', beta }, units, slopes }
    case 'simpo':
      return { objective: { kind: 'simpo', beta, gammaBetaRatio: gamma / beta }, units, slopes }
    case 'orpo':
      return { objective: { kind: 'orpo', lambda }, units, slopes }
  }
}
