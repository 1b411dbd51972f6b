import { expect } from 'chai'
import { DomainError } from '../../../core/kernel/errors.ts'
import { adapterHash } from '../../../core/model/files/lora-adapter.ts'
import { fitAdapter } from '../../../core/model/training/fit-adapter.ts'
import type { FitInput, FitTeacher } from '../../../core/model/training/fit/fit-types.ts'
import { planFit } from '../../../core/model/training/fit/plan-fit.ts'
import { runFit } from '../../../core/model/training/fit/run-fit.ts'
import type { Hyperparameters } from '../../../core/model/training/hyperparameters.ts'
import type { ObjectiveSettings } from '../../../core/model/training/objectives/objective.ts'
import type { TaughtRow } from '../../../core/model/training/rows.ts'
import { TINY, tinyFit, tinyRows } from './tiny-task.ts'

const GKD = { kind: 'gkd', beta: 0.5, lmbda: 0.5, temperature: 1, maxNewTokens: 4, warmup: 0 } as const

/** A teacher that has learned the rule of the tiny task. */
async function tinyTeacher(): Promise<FitTeacher> {
  const input = tinyFit(tinyRows(64), { epochs: 12, validationShare: 0 })
  const { adapter } = await runFit(input, {})
  return { ...input.base, adapter }
}

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof DomainError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'none'
}

/** Rows whose teacher names all tokens, or its two likeliest. */
function taughtRows(form: 'all' | 'two'): TaughtRow[] {
  return tinyRows(24).map((row) => {
    const answer = Array.from(row.answer)
    const other = (token: number): number => (token === 5 ? 6 : 5)
    if (form === 'two') {
      const ids = answer.flatMap((token) => [token, other(token)])
      return { ...row, teacher: { k: 2, ids, logProbs: answer.flatMap(() => [Math.log(0.9), Math.log(0.05)]) } }
    }
    const logits = answer.flatMap((token) => Array.from({ length: TINY.vocabSize }, (_, id) => (id === token ? 6 : 0)))
    return { ...row, teacher: { k: TINY.vocabSize, ids: null, logProbs: logits } }
  })
}

describe('distilling the distributions of a teacher', () => {
  let teacher: FitTeacher

  before(async () => {
    teacher = await tinyTeacher()
  })

  /** A fit of `gkd`. */
  function student(
    changes: Partial<Extract<ObjectiveSettings, { kind: 'gkd' }>> = {},
    more: Partial<Hyperparameters> = {},
  ): FitInput {
    const objective = { ...GKD, ...changes }
    return tinyFit(tinyRows(48), { objective, validationShare: 0.2, ...more }, { teacher })
  }

  for (const beta of [0, 0.5, 1]) {
    it(`gkd lowers the divergence from its teacher at beta ${beta}, half of its rows answered by the student`, async () => {
      const { history, onPolicyShare, steps } = await runFit(student({ beta }, { maxSteps: 24, epochs: 100 }), {})
      expect(steps).to.equal(24)
      const answered = history.steps.reduce((sum, step) => sum + (step.answeredRows ?? 0), 0)
      const rows = history.steps.reduce((sum, step) => sum + (step.rows ?? 0), 0)
      expect(onPolicyShare).to.equal(answered / rows)
      expect(onPolicyShare).to.be.within(0.2, 0.8)
      const losses = history.validations.map(({ loss }) => loss)
      expect(losses.at(-1)).to.be.below(0.8 * (losses[0] ?? 0))
    })
  }

  it('a share of 0 is never on-policy, a share of 1 always', async () => {
    const shareAt = async (lmbda: number) => (await runFit(student({ lmbda }, { maxSteps: 4 }), {})).onPolicyShare
    expect([await shareAt(0), await shareAt(1)]).to.deep.equal([0, 1])
  })

  it('is supervised during its warm-up', async () => {
    const warm = await runFit(student({ lmbda: 1, warmup: 0.5 }, { maxSteps: 4 }), {})
    const supervised = await runFit(tinyFit(tinyRows(48), { validationShare: 0.2, maxSteps: 4 }), {})
    expect(warm.history.steps.map(({ answeredRows }) => (answeredRows ?? 0) > 0)).to.deep.equal([
      false,
      false,
      true,
      true,
    ])
    for (const step of [0, 1]) expect(warm.history.steps[step]?.loss).to.equal(supervised.history.steps[step]?.loss)
  })

  it('ends with the same bytes wherever it was interrupted, the answers of the student included', async () => {
    const input = student({ lmbda: 0.8, warmup: 0.2 }, { maxSteps: 9, patience: 0 })
    const checkpoints: Uint8Array[] = []
    const whole = await runFit(input, {
      wantsCheckpoint: () => true,
      onCheckpoint: (bytes, step) => (checkpoints[step] = bytes),
    })
    for (const step of [1, 4, 8]) {
      const resumed = await runFit({ ...input, checkpoint: checkpoints[step] ?? new Uint8Array() }, {})
      expect(adapterHash(resumed.adapter), `from step ${step}`).to.equal(adapterHash(whole.adapter))
      expect(resumed.history).to.deep.equal(whole.history)
    }
    const inThread = await fitAdapter(input)
    expect(adapterHash(inThread.adapter)).to.equal(adapterHash(whole.adapter))
    const other = { ...input, teacher: { ...teacher, adapter: null }, checkpoint: checkpoints[4] ?? new Uint8Array() }
    const error: unknown = await runFit(other, {}).catch((caught: unknown) => caught)
    expect(error).to.include({ code: 'invalid_checkpoint' })
  })

  it('goes on from an adapter: one that is its own teacher has nothing to learn', async () => {
    const start = teacher.adapter ?? undefined
    const input = { ...student({ lmbda: 1 }, { maxSteps: 2 }), ...(start !== undefined && { start }) }
    const { history } = await runFit(input, {})
    expect(history.steps[0]?.loss).to.be.closeTo(0, 1e-6)
    expect(codeOf(() => planFit({ ...input, hyperparameters: { ...input.hyperparameters, rank: 2 } }))).to.include(
      'the adapter to go on from has rank 4',
    )
  })

  it('gives the same losses layer by layer', async () => {
    const input = student({ lmbda: 0 }, { maxSteps: 4 })
    const layers = { ...input, memoryBudgetBytes: planFit(input).estimatedBytes - 1 }
    const { history } = await runFit(input, {})
    const plan = planFit({ ...layers, base: { ...layers.base, config: { ...TINY } } })
    expect(plan.estimatedBytes).to.be.below(planFit(input).estimatedBytes)
    const small = await runFit(layers, {})
    expect(small.variant).to.equal('layers')
    for (const [i, { loss }] of history.steps.entries()) expect(small.history.steps[i]?.loss).to.be.closeTo(loss, 1e-4)
  })

  for (const form of ['all', 'two'] as const) {
    it(`kd lowers the divergence from rows that name ${form} of the tokens`, async () => {
      const objective = { kind: 'kd', beta: 0.5, temperature: form === 'all' ? 2 : 1 } as const
      const input = tinyFit(taughtRows(form), { objective, epochs: 8, validationShare: 0, learningRate: 2e-2 })
      const losses = (await runFit(input, {})).history.steps.map(({ loss }) => loss)
      expect(losses.at(-1)).to.be.below(0.75 * (losses[0] ?? 0))
    })
  }

  it('refuses teachers and distributions that cannot be compared', () => {
    const kd = { kind: 'kd', beta: 0, temperature: 1 } as const
    const [first, ...rest] = taughtRows('two')
    if (first === undefined) throw new Error('there are rows')
    const fit = (row: Partial<TaughtRow['teacher']>, objective: ObjectiveSettings = kd): (() => unknown) => {
      const teacherOf = { ...first.teacher, ...row }
      return () => planFit(tinyFit([{ ...first, teacher: teacherOf }, ...rest], { objective }))
    }
    const wide = { ...teacher, config: { ...TINY, vocabSize: TINY.vocabSize + 1 } }
    const cases: [() => unknown, string][] = [
      [() => planFit({ ...student(), teacher: wide }), 'teacher_vocab_mismatch: the vocabulary of the teacher tiny'],
      [() => planFit(tinyFit(tinyRows(), { objective: GKD })), 'validation_failed: the objective gkd needs a teacher'],
      [() => planFit(tinyFit(tinyRows(), { objective: kd })), 'holds answers, and the objective takes distributions'],
      [fit({ logProbs: [0] }), 'distributions for other than its 2 answer tokens'],
      [fit({ logProbs: [-1, -1, -1, NaN] }), 'not a finite number'],
      [fit({ logProbs: [0, 0, 0, 0] }), 'sum to more than 1'],
      [fit({ ids: [3, 3, 3, 4] }), 'names a token twice'],
      [fit({ ids: [3, 1000, 3, 4] }), 'tokens that the base does not have'],
      [fit({ ids: null }), 'another form than the rows before it'],
      [fit({}, { ...kd, temperature: 2 }), 'temperature: only 1'],
    ]
    for (const [work, text] of cases) expect(codeOf(work)).to.include(text)
  })
})
