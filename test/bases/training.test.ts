import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadRun, saveRun } from '../../bases/training/loop/run-state.ts'
import { openOrthogonaliser } from '../../bases/training/loop/orthogonalise.ts'
import { packStep } from '../../bases/training/loop/packed-steps.ts'
import { trainBase, type TrainingRun } from '../../bases/training/loop/train-base.ts'
import { BASE_CONFIG, learningRateFactor } from '../../bases/training/settings.ts'
import { parseModelConfig } from '../../core/model/config/parse-config.ts'
import { loadTokenizer } from '../../core/model/tokenizer/load-tokenizer.ts'

const read = (file: string) => JSON.parse(readFileSync(`bases/nano/${file}`, 'utf8'))
const tokenizer = loadTokenizer(read('tokenizer.json'), read('tokenizer_config.json'))
const shape = { bins: 2, length: 128 }
const tiny = parseModelConfig({
  ...BASE_CONFIG,
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 16,
})
const run: TrainingRun = {
  config: tiny,
  tokenizer,
  threads: 1,
  schedule: { steps: 12, decayShare: 0.5 },
  shape,
  reportEvery: 4,
  report: () => undefined,
}

describe('a step of training text', () => {
  const { batch, tokens } = packStep(tokenizer, 1, 0, shape)

  it('fills most of the bins and weighs its targets to one in all', () => {
    expect(tokens).to.be.within(0.8 * 256, 256)
    expect(batch.weights.reduce((a, b) => a + b, 0)).to.be.closeTo(1, 1e-5)
  })

  it('asks for the token that follows each scored position, in the same document', () => {
    batch.targets.forEach((target, i) => {
      if (batch.weights[i] === 0) return
      const at = Number(batch.answerPositions[i])
      expect(batch.tokens[at + 1]).to.equal(target)
      expect(batch.segments[at + 1]).to.equal(batch.segments[at])
    })
  })

  it('depends on its number only', () => {
    expect(packStep(tokenizer, 1, 7, shape)).to.deep.equal(packStep(tokenizer, 1, 7, shape))
    expect(packStep(tokenizer, 1, 7, shape)).to.not.deep.equal({ batch, tokens })
  })
})

describe('the rate of learning', () => {
  const decayShare = 0.4
  const decaySteps = 400
  const schedule = { steps: 1000, decayShare }

  it('rises, stays, and falls to nothing', () => {
    expect(learningRateFactor(0, schedule)).to.be.below(0.05)
    expect(learningRateFactor(1000 - decaySteps, schedule)).to.equal(1)
    expect(learningRateFactor(1000 - decaySteps / 2, schedule)).to.equal(0.5)
    expect(learningRateFactor(1000, schedule)).to.equal(0)
  })

  it('does not depend on the number of steps until it falls', () => {
    const factors = (steps: number) =>
      Array.from({ length: 1000 - decaySteps }, (_, step) =>
        learningRateFactor(step, { steps, decayShare: steps === 1000 ? decayShare : 0.1 }),
      )
    expect(factors(1000)).to.deep.equal(factors(5000))
  })
})

describe('orthogonalising', () => {
  it('brings the singular values of a matrix near to one', async () => {
    const orthogonaliser = await openOrthogonaliser([{ name: 'm', count: 1, rows: 2, columns: 3 }], 1)
    const input = Float32Array.from([0.8, 0, 0, 0, 0.6, 0])
    const output = (await orthogonaliser.run(new Map([['m', input]]))).get('m') ?? new Float32Array(0)
    await orthogonaliser.release()
    expect(output[0]).to.be.within(0.6, 1.3)
    expect(output[4]).to.be.within(0.6, 1.3)
    for (const place of [1, 2, 3, 5]) expect(output[place]).to.be.closeTo(0, 1e-5)
  })
})

describe('training the base', () => {
  it('lowers the loss', async () => {
    const { history } = await trainBase(run)
    expect(history).to.have.length(3)
    expect(history[2]?.loss).to.be.below(history[0]?.loss ?? 0)
  })

  it('goes on from a saved state to the very same weights', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-base-'))
    const whole = await trainBase({
      ...run,
      report: ({ step }, state) => {
        if (step === 8) saveRun(directory, state)
      },
    })
    const resumed = await trainBase({ ...run, restore: (state) => loadRun(directory, state) })
    rmSync(directory, { recursive: true })
    expect(resumed.values).to.deep.equal(whole.values)
    expect(resumed.history.map(({ loss }) => loss)).to.deep.equal(whole.history.map(({ loss }) => loss))
  })
})
