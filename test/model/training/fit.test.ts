import { expect } from 'chai'
import { DomainError, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { adapterHash } from '../../../core/model/files/lora-adapter.ts'
import { fitAdapter } from '../../../core/model/training/fit-adapter.ts'
import type { FitInput } from '../../../core/model/training/fit/fit-types.ts'
import { planFit } from '../../../core/model/training/fit/plan-fit.ts'
import { runFit } from '../../../core/model/training/fit/run-fit.ts'
import type { FitProgress } from '../../../core/model/training/loop/history.ts'
import { defaultObjective, type ObjectiveName } from '../../../core/model/training/objectives/objective.ts'
import type { FitRow, LabelledRow, PairRow } from '../../../core/model/training/rows.ts'
import { TINY, tinyFit, tinyRows, tinyWeights } from './tiny-task.ts'

/** The error that a promise rejects with. */
async function errorOf(promise: Promise<unknown>): Promise<DomainError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('did not fail')
}

/** Runs a fit, keeping a checkpoint of every step. */
async function withCheckpoints(input: FitInput) {
  const checkpoints: Uint8Array[] = []
  const fitted = await runFit(input, {
    wantsCheckpoint: () => true,
    onCheckpoint: (bytes, step) => (checkpoints[step] = bytes),
  })
  return { fitted, checkpoints }
}

function tinyPairs(): PairRow[] {
  return tinyRows(24).map(({ id, prompt, answer, weight }, i) => ({
    id,
    prompt,
    chosen: answer,
    rejected: [40 + (i % 5), 41, 0],
    weight,
  }))
}

function tinyLabels(): LabelledRow[] {
  return tinyRows(24).map((row, i) => ({ ...row, isDesirable: i % 3 !== 0 }))
}

describe('fitting an adapter', () => {
  it('learns, tells how it goes and restores the best weights', async () => {
    const progress: FitProgress[] = []
    const input = tinyFit(tinyRows(64), { epochs: 10 })
    const fitted = await runFit(input, { onStep: (step) => progress.push(step) })
    const [first] = fitted.history.steps
    const last = fitted.history.steps.at(-1)
    expect(last?.loss).to.be.below((first?.loss ?? 0) - 1)
    expect(progress).to.have.length(fitted.steps)
    expect(progress.at(-1)).to.deep.include({ step: fitted.steps, epoch: 10, loss: last?.loss, etaSeconds: 0 })
    expect(progress.at(-1)?.tokensPerSecond).to.be.above(0)
    const best = fitted.history.validations.toSorted((a, b) => a.risk - b.risk)[0]
    expect(fitted.bestStep).to.equal(best?.step)
    expect(progress.at(-1)?.validations).to.deep.equal(fitted.history.validations)
    for (const { risk, accuracy } of fitted.history.validations) expect(accuracy).to.equal(1 - risk)
    expect(fitted.rows.train + fitted.rows.validation).to.equal(64)
    expect([...fitted.adapter.tensors.keys()]).to.have.length(2 * 7)
    expect(fitted.adapter.tensors.get('model.layers.1.mlp.down_proj')?.a).to.have.length(4 * 32)
  })

  it('gives the same adapter for the same seed, and another one for another seed', async () => {
    const hashOf = async (seed: number) => adapterHash((await runFit(tinyFit(tinyRows(), { seed }), {})).adapter)
    expect(await hashOf(1)).to.equal(await hashOf(1))
    expect(await hashOf(1)).not.to.equal(await hashOf(2))
  })

  it('ends with the same bytes wherever it was interrupted', async () => {
    const input = tinyFit(tinyRows(96), { accumulation: 2, evaluationsPerEpoch: 2, patience: 0 })
    const { fitted, checkpoints } = await withCheckpoints(input)
    const perEpoch = fitted.steps / 4
    expect(perEpoch).to.be.above(2)
    for (const step of [1, perEpoch - 1, perEpoch, perEpoch + 1, fitted.steps - 1]) {
      const resumed = await runFit({ ...input, checkpoint: checkpoints[step] ?? new Uint8Array() }, {})
      expect(adapterHash(resumed.adapter), `from step ${step}`).to.equal(adapterHash(fitted.adapter))
      expect(resumed.history).to.deep.equal(fitted.history)
      expect(resumed).to.deep.include({ bestStep: fitted.bestStep, usefulTokens: fitted.usefulTokens })
    }
  })

  it('ends with the same bytes when it was interrupted during a look at the validation rows', async () => {
    const input = tinyFit(tinyRows(48))
    const whole = await runFit(input, {})
    const firstLook = whole.history.validations[0]?.step ?? 0
    let steps = 0
    let checkpoint = new Uint8Array()
    const stop = MODEL_ERRORS.compile_cancelled('stop')
    const broken = runFit(input, {
      onStep: ({ step }) => (steps = step),
      onPause: async () => {
        // The validation runs before its step is reported.
        if (steps === firstLook - 1 && ++pauses === 2) throw stop
      },
      onCheckpoint: (bytes) => (checkpoint = bytes),
    })
    let pauses = 0
    expect(await errorOf(broken)).to.equal(stop)
    const resumed = await runFit({ ...input, checkpoint }, {})
    expect(resumed.history).to.deep.equal(whole.history)
    expect(adapterHash(resumed.adapter)).to.equal(adapterHash(whole.adapter))
  })

  it('refuses the checkpoint of another job and damaged ones', async () => {
    const input = tinyFit(tinyRows())
    const { checkpoints } = await withCheckpoints(input)
    const bytes = checkpoints[2] ?? new Uint8Array()
    const others: FitInput[] = [
      tinyFit(tinyRows(), { learningRate: 2e-2 }),
      tinyFit(tinyRows().map((row, i) => (i === 3 ? { ...row, answer: [33, 0] } : row))),
      { ...input, base: { ...input.base, weightsHash: `sha256:${'1'.repeat(64)}` } },
    ]
    for (const other of others) {
      expect(await errorOf(runFit({ ...other, checkpoint: bytes }, {}))).to.include({ code: 'invalid_checkpoint' })
    }
    const damaged = bytes.slice()
    damaged[500] = (damaged[500] ?? 0) ^ 1
    for (const checkpoint of [damaged, bytes.slice(0, -1), bytes.slice(0, 20), new Uint8Array()]) {
      expect(await errorOf(runFit({ ...input, checkpoint }, {}))).to.include({ code: 'invalid_checkpoint' })
    }
  })

  it('stops when the validation rows no longer gain', async () => {
    const rows = tinyRows(20)
    // Labels without any rule: learning the train rows by heart makes these worse.
    const validation = rows.map((row, i) => ({ ...row, id: `v${i}`, answer: [29 + ((i * 7) % 30), 0] }))
    const input = { ...tinyFit(rows, { epochs: 40, patience: 3, learningRate: 3e-2 }), validation }
    const fitted = await runFit(input, {})
    expect(fitted.stoppedEarly).to.equal(true)
    expect(fitted.history.validations).to.have.length.below(40)
    expect(fitted.bestStep).to.be.below(fitted.steps)
  })

  it('computes layer by layer when the budget is too small for the whole graph, with the same losses', async () => {
    const config = { ...TINY, layers: 8 }
    const given = tinyFit(tinyRows())
    const input = { ...given, base: { ...given.base, config, weights: tinyWeights(config) } }
    const small = { ...input, memoryBudgetBytes: planFit(input).estimatedBytes - 1 }
    expect(planFit(small).variant).to.equal('layers')
    const [whole, layers] = [await runFit(input, {}), await runFit(small, {})]
    expect([whole.variant, layers.variant]).to.deep.equal(['whole', 'layers'])
    for (const [i, { loss }] of whole.history.steps.entries()) {
      expect(layers.history.steps[i]?.loss).to.be.closeTo(loss, 1e-4)
    }
  })

  const rowsFor = (name: ObjectiveName): readonly FitRow[] => {
    if (name === 'kto') return tinyLabels()
    return name === 'supervised' || name === 'distillation' ? tinyRows(24) : tinyPairs()
  }
  for (const name of ['distillation', 'dpo', 'simpo', 'orpo', 'kto'] as const) {
    it(`lowers the loss of ${name}`, async () => {
      const { history } = await runFit(
        tinyFit(rowsFor(name), {
          objective: defaultObjective(name),
          epochs: 8,
          validationShare: 0,
          learningRate: 2e-2,
        }),
        {},
      )
      const losses = history.steps.map(({ loss }) => loss)
      const third = Math.ceil(losses.length / 3)
      const mean = (part: readonly number[]): number => part.reduce((sum, loss) => sum + loss, 0) / part.length
      expect(mean(losses.slice(-third))).to.be.below(mean(losses.slice(0, third)))
    })
  }

  it('refuses what cannot be fitted', async () => {
    const row = { id: 'long', prompt: Array.from({ length: 70 }, () => 3), answer: [4, 0], weight: 1 }
    const cases: [FitInput, string, string][] = [
      [tinyFit([]), 'no_training_rows', 'no rows'],
      [tinyFit(tinyRows().map((each) => ({ ...each, weight: 0 }))), 'no_training_rows', 'weight 0'],
      [tinyFit([row]), 'validation_failed', 'row long has 72 tokens'],
      [tinyFit(tinyPairs()), 'validation_failed', 'row row-0 holds pairs'],
      [tinyFit(tinyRows(), { rank: 0 }), 'validation_failed', 'rank'],
      [tinyFit([{ ...row, prompt: [] }]), 'validation_failed', 'empty prompt'],
    ]
    for (const [input, code, text] of cases) {
      const error = await errorOf(runFit(input, {}))
      expect(error.code).to.equal(code)
      expect(error.message).to.include(text)
    }
    const error = await errorOf(runFit({ ...tinyFit(tinyRows()), memoryBudgetBytes: 1000 }, {}))
    expect(error.code).to.equal('base_does_not_fit')
    expect(error.details?.['neededBytes']).to.be.above(1000)
    expect(error.details?.['availableBytes']).to.equal(1000)
  })

  it('stops at a loss that is not a number, with the step and the rows', async () => {
    const input = tinyFit(tinyRows())
    const weights = new Map(input.base.weights)
    const name = 'model.norm.weight'
    weights.set(name, { shape: [16], data: new Float32Array(new SharedArrayBuffer(64)).fill(NaN) })
    const error = await errorOf(fitAdapter({ ...input, base: { ...input.base, weights } }))
    expect(error.code).to.equal('training_diverged')
    expect(error.message).to.match(/step 1; rows of its batch: row-\d+/)
    expect(error.details).to.deep.include({ step: 1, epoch: 1 })
  })

  it('stops when the loss of the validation rows is not a number', async () => {
    const input = tinyFit(tinyRows(), { evaluationsPerEpoch: 1 })
    const config = { ...TINY, tiedEmbeddings: false }
    const weights = tinyWeights(config)
    const unseen = 60
    weights.get('model.embed_tokens.weight')?.data.fill(NaN, unseen * 16, (unseen + 1) * 16)
    const validation = [{ id: 'looked at', prompt: [1, unseen], answer: [30, 0], weight: 1 }]
    const error = await errorOf(runFit({ ...input, validation, base: { ...input.base, config, weights } }, {}))
    expect(error.code).to.equal('training_diverged')
    expect(error.message).to.match(/validation rows is no longer finite after step \d+/)
  })
})

describe('fitting in a thread', () => {
  it('gives the adapter of the same thread, with progress and checkpoints', async () => {
    const input = tinyFit(tinyRows(), {}, { checkpointEverySteps: 5 })
    const steps: number[] = []
    const checkpoints: number[] = []
    const fitted = await fitAdapter(input, {
      onStep: ({ step }) => steps.push(step),
      onCheckpoint: (_, step) => checkpoints.push(step),
    })
    expect(steps).to.deep.equal(Array.from({ length: fitted.steps }, (_, i) => i + 1))
    expect(checkpoints).to.deep.equal(steps.filter((step) => step % 5 === 0 && step < fitted.steps))
    expect(adapterHash(fitted.adapter)).to.equal(adapterHash((await runFit(input, {})).adapter))
  })

  it('ends on an abort with a checkpoint that leads to the same adapter', async () => {
    const input = tinyFit(tinyRows(), { epochs: 30 })
    const abort = new AbortController()
    let checkpoint: Uint8Array | undefined
    const error = await errorOf(
      fitAdapter(input, {
        signal: abort.signal,
        onStep: ({ step }) => {
          if (step === 3) abort.abort()
        },
        onCheckpoint: (bytes) => (checkpoint = bytes),
      }),
    )
    expect(error.code).to.equal('compile_cancelled')
    if (checkpoint === undefined) throw new Error('no checkpoint')
    const resumed = await fitAdapter({ ...input, checkpoint })
    expect(adapterHash(resumed.adapter)).to.equal(adapterHash((await fitAdapter(input)).adapter))
    expect((await errorOf(fitAdapter(input, { signal: abort.signal }))).code).to.equal('compile_cancelled')
  })

  it('fails with the error of a hook, as when the disk is full', async () => {
    const full = KERNEL_ERRORS.store_unavailable('no space left')
    const input = tinyFit(tinyRows(), {}, { checkpointEverySteps: 2 })
    const error = await errorOf(
      fitAdapter(input, {
        onCheckpoint: () => {
          throw full
        },
      }),
    )
    expect(error).to.equal(full)
  })

  it('knows its context', () => {
    expect(planFit(tinyFit(tinyRows())).buckets.every(({ length }) => length <= TINY.contextLength)).to.equal(true)
  })
})
