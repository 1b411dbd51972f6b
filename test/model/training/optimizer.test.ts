import { expect } from 'chai'
import { clippingScale, createMoments, globalNorm, stepAdamW } from '../../../core/model/training/optimizer/adamw.ts'
import { fillLoraValues, initialWeights } from '../../../core/model/training/optimizer/initial-values.ts'
import { learningRateAt } from '../../../core/model/training/optimizer/schedule.ts'
import { trainableParameters } from '../../../core/model/llama/parameters.ts'
import { TINY } from './tiny-task.ts'

const SETTINGS = { weightDecay: 0.1, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }

describe('AdamW', () => {
  it('takes a first step of the learning rate, and decays matrices only', () => {
    const values = Float32Array.of(1, 1)
    const ranges = [
      { offset: 0, size: 1, isDecayed: true },
      { offset: 1, size: 1, isDecayed: false },
    ]
    const at = { step: 1, learningRate: 0.01, gradientScale: 1 }
    stepAdamW(values, Float32Array.of(3, -4), createMoments(2), ranges, SETTINGS, at)
    // The corrected first moments over the root of the second are the signs of the gradients.
    expect(values[0]).to.be.closeTo(1 - 0.01 * 0.1 - 0.01, 1e-7)
    expect(values[1]).to.be.closeTo(1 + 0.01, 1e-7)
  })

  it('follows the definition over several steps', () => {
    const gradients = [0.5, -0.2, 0.9, 0.1]
    const values = Float32Array.of(0.3)
    const moments = createMoments(1)
    let [theta, m, v] = [0.3, 0, 0]
    for (const [index, gradient] of gradients.entries()) {
      const step = index + 1
      const range = { offset: 0, size: 1, isDecayed: true }
      stepAdamW(values, Float32Array.of(2 * gradient), moments, [range], SETTINGS, {
        step,
        learningRate: 0.05,
        gradientScale: 0.5,
      })
      m = 0.9 * m + 0.1 * gradient
      v = 0.999 * v + 0.001 * gradient ** 2
      theta -= 0.05 * 0.1 * theta
      theta -= (0.05 * (m / (1 - 0.9 ** step))) / (Math.sqrt(v / (1 - 0.999 ** step)) + 1e-8)
      expect(values[0]).to.be.closeTo(theta, 1e-5)
    }
  })

  it('clips by the norm of all gradients together', () => {
    const norm = globalNorm(Float32Array.of(3, 4))
    expect(norm).to.equal(5)
    expect(clippingScale(norm, 1)).to.be.closeTo(0.2, 1e-6)
    expect(clippingScale(norm, 10)).to.equal(1)
    expect(clippingScale(norm, 0)).to.equal(1)
  })
})

describe('learning rate', () => {
  const settings = { learningRate: 2, warmupRatio: 0.1, finalLearningRateShare: 0.1 }

  it('rises over the warm-up and falls along a cosine', () => {
    const rates = Array.from({ length: 100 }, (_, i) => learningRateAt(i + 1, 100, settings))
    expect(rates[0]).to.be.closeTo(0.2, 1e-12)
    expect(rates[9]).to.equal(2)
    expect(rates[54]).to.be.closeTo(1.1, 1e-12)
    expect(rates[99]).to.be.closeTo(0.2, 1e-12)
    for (let i = 10; i < 99; i++) expect(rates[i + 1]).to.be.below(rates[i] ?? 0)
  })

  it('is never zero in a job of one step', () => {
    expect(learningRateAt(1, 1, settings)).to.equal(2)
  })
})

describe('initial values', () => {
  it('of an adapter are uniform in A and zero in B', () => {
    const parameters = trainableParameters(TINY, {
      mode: 'lora',
      rank: 4,
      alpha: 8,
      targetModules: ['q_proj', 'down_proj'],
    })
    const size = parameters.reduce((sum, parameter) => sum + parameter.size, 0)
    const values = new Float32Array(size)
    fillLoraValues(values, parameters, 3)
    const again = new Float32Array(size)
    fillLoraValues(again, parameters, 3)
    expect(again).to.deep.equal(values)
    for (const { name, offset, size: count, shape } of parameters) {
      const own = [...values.subarray(offset, offset + count)]
      if (name.endsWith('lora_B.weight')) expect(own.every((value) => value === 0)).to.equal(true)
      else {
        const bound = 1 / Math.sqrt(shape[1] ?? 0)
        expect(Math.max(...own)).to.be.within(bound * 0.8, bound)
        expect(Math.min(...own)).to.be.within(-bound, -bound * 0.8)
      }
    }
  })

  it('of a model are small, ones in norms, smaller where they return to the residual stream', () => {
    const weights = initialWeights(TINY, 1)
    const deviation = (name: string): number => {
      const data = [...(weights.get(name)?.data ?? [])]
      return Math.sqrt(data.reduce((sum, value) => sum + value * value, 0) / data.length)
    }
    expect(deviation('model.norm.weight')).to.equal(1)
    expect(deviation('model.embed_tokens.weight')).to.be.closeTo(0.02, 0.002)
    expect(deviation('model.layers.0.mlp.down_proj.weight')).to.be.closeTo(0.01, 0.0015)
  })
})
