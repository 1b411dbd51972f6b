import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { z } from 'zod'
import { defaultObjective, type ObjectiveSettings } from '../../../core/model/training/objectives/objective.ts'
import { clippingScale, createMoments, globalNorm, stepAdamW } from '../../../core/model/training/optimizer/adamw.ts'
import type { FitRow } from '../../../core/model/training/rows.ts'
import { FOLDER, goldenEngine, stepOf, tensorsOf, worstError } from './golden.ts'

const ids = z.array(z.int())
const preference = { losses: z.array(z.number()), loss: z.number(), gradients: z.string() }
const PairRows = z.array(z.object({ prompt: ids, chosen: ids, rejected: ids }))
const Expected = z.object({
  training: z.object({
    rows: z.array(z.object({ prompt: ids, answer: ids })),
    loss: z.number(),
    gradients: z.string(),
    adamw: z.object({
      learningRate: z.number(),
      beta1: z.number(),
      beta2: z.number(),
      epsilon: z.number(),
      weightDecay: z.number(),
      gradClip: z.number(),
      losses: z.array(z.number()),
      gradNorms: z.array(z.number()),
      after: z.string(),
    }),
    preference: z.array(
      z.discriminatedUnion('objective', [
        z.object({ objective: z.literal('dpo'), beta: z.number(), rows: PairRows, ...preference }),
        z.object({ objective: z.literal('simpo'), beta: z.number(), gamma: z.number(), rows: PairRows, ...preference }),
        z.object({ objective: z.literal('orpo'), lambda: z.number(), rows: PairRows, ...preference }),
        z.object({
          objective: z.literal('kto'),
          beta: z.number(),
          rows: z.array(z.object({ prompt: ids, completion: ids, label: z.boolean() })),
          ...preference,
        }),
      ]),
    ),
  }),
})
const { training } = Expected.parse(JSON.parse(readFileSync(new URL('expected.json', FOLDER), 'utf8')))
type Preference = (typeof training.preference)[number]

function objectiveOf(golden: Preference): ObjectiveSettings {
  switch (golden.objective) {
    case 'dpo':
      return { kind: 'dpo', beta: golden.beta }
    case 'simpo':
      return { kind: 'simpo', beta: golden.beta, gammaBetaRatio: golden.gamma / golden.beta }
    case 'orpo':
      return { kind: 'orpo', lambda: golden.lambda }
    case 'kto':
      return { kind: 'kto', beta: golden.beta, desirableWeight: 1, undesirableWeight: 1 }
  }
}

function rowsOf(golden: Preference): FitRow[] {
  if (golden.objective !== 'kto') return golden.rows.map((row, i) => ({ id: `${i}`, weight: 1, ...row }))
  return golden.rows.map(({ prompt, completion, label }, i) => ({
    id: `${i}`,
    weight: 1,
    prompt,
    answer: completion,
    isDesirable: label,
  }))
}

describe('training beside torch', () => {
  const rows = training.rows.map((row, i) => ({ id: `${i}`, weight: 1, ...row }))
  let given: Awaited<ReturnType<typeof goldenEngine>>

  beforeEach(async () => {
    given = await goldenEngine()
  })
  afterEach(async () => {
    await given.engine.release()
  })

  it('has the loss and the gradients of PEFT', async () => {
    const { loss, gradients } = await stepOf(given, rows, defaultObjective('supervised'))
    expect(loss).to.be.closeTo(training.loss, 1e-5)
    expect(worstError(given.engine, gradients, tensorsOf(training.gradients))).to.be.below(1e-4)
  })

  it('takes the steps of torch.optim.AdamW with clipping', async () => {
    const { adamw } = training
    const { engine } = given
    const moments = createMoments(engine.values.length)
    const ranges = [{ offset: 0, size: engine.values.length, isDecayed: true }]
    for (const [index, expectedLoss] of adamw.losses.entries()) {
      const { loss, gradients } = await stepOf(given, rows, defaultObjective('supervised'))
      const norm = globalNorm(gradients)
      expect(loss).to.be.closeTo(expectedLoss, 1e-3)
      expect(norm).to.be.closeTo(adamw.gradNorms[index] ?? 0, 1e-2)
      stepAdamW(engine.values, gradients, moments, ranges, adamw, {
        step: index + 1,
        learningRate: adamw.learningRate,
        gradientScale: clippingScale(norm, adamw.gradClip),
      })
    }
    expect(worstError(engine, engine.values, tensorsOf(adamw.after))).to.be.below(2e-2)
  })

  for (const golden of training.preference) {
    it(`has the loss and the gradients of ${golden.objective}`, async () => {
      const { loss, gradients } = await stepOf(given, rowsOf(golden), objectiveOf(golden))
      expect(loss).to.be.closeTo(golden.loss, 1e-4)
      expect(worstError(given.engine, gradients, tensorsOf(golden.gradients))).to.be.below(1e-3)
    })
  }
})
