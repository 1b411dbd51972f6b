import { expect } from 'chai'
import { estimateTrainingMemory } from '../../../core/model/llama/memory-estimate.ts'
import { tinyModel } from './tiny-model.ts'

/** The shape of SmolLM2-135M. */
const config = {
  ...tinyModel,
  vocabSize: 49152,
  hiddenSize: 576,
  layers: 30,
  heads: 9,
  kvHeads: 3,
  headDim: 64,
  intermediateSize: 1536,
}
const adapter = {
  mode: 'lora',
  rank: 16,
  alpha: 32,
  targetModules: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
} as const
const bucket = { bins: 8, length: 128, answers: 1016 }

describe('estimateTrainingMemory', () => {
  it('counts weights and trainable numbers exactly', () => {
    const { weights, trainables } = estimateTrainingMemory(config, adapter, [bucket], 'whole')
    expect(weights).to.equal(134_515_008 * 4)
    expect(trainables).to.equal(2 * 4_884_480 * 4)
  })

  it('is near what was measured for 135M parameters, for one graph and layer by layer', () => {
    expect(estimateTrainingMemory(config, adapter, [bucket], 'whole').total).to.be.within(2.5e9, 3e9)
    expect(estimateTrainingMemory(config, adapter, [bucket], 'layers').total).to.be.within(1.1e9, 1.4e9)
  })

  it('grows with every bucket, since each has memory of its own', () => {
    const one = estimateTrainingMemory(config, adapter, [bucket], 'whole')
    const two = estimateTrainingMemory(config, adapter, [bucket, bucket], 'whole')
    expect(two.activations).to.be.closeTo(2 * one.activations, 2)
    expect(two.total - one.total).to.equal(two.activations - one.activations)
  })

  it('needs room for all gradients when every weight is trained', () => {
    const full = estimateTrainingMemory(config, { mode: 'full' }, [bucket], 'layers')
    expect(full.trainables).to.equal(2 * full.weights)
  })
})
