import { expect } from 'chai'
import { planExport } from '../../../core/model/export/plans/plan-export.ts'
import { QUANT_LEVELS } from '../../../core/model/export/plans/levels.ts'
import { EXPORT_TARGETS } from '../../../core/model/export/targets.ts'
import { baseWeights } from '../../../core/model/export/weights.ts'
import { ggufModel } from '../../../core/model/export/gguf/model.ts'
import { mlxModelFiles } from '../../../core/model/export/mlx-files.ts'
import { onnxModelFiles } from '../../../core/model/export/onnx/model-files.ts'
import { aConfig, someWeights } from './given.ts'

/** Llama 3.1 8B. */
const LARGE = aConfig('llama', {
  vocabSize: 128_256,
  hiddenSize: 4096,
  layers: 32,
  heads: 32,
  kvHeads: 8,
  headDim: 128,
  intermediateSize: 14_336,
  tiedEmbeddings: false,
})

describe('export plans', () => {
  it('estimate the published sizes of Llama 3.1 8B', () => {
    // As listed for the files of that model, in GB (10^9 bytes).
    for (const [level, gigabytes] of [
      ['F16', 16.07],
      ['Q8_0', 8.54],
      ['Q6_K', 6.6],
      ['Q5_K_M', 5.73],
      ['Q4_K_M', 4.92],
      ['Q4_K_S', 4.69],
      ['Q3_K_L', 4.32],
      ['Q3_K_M', 4.02],
      ['Q2_K', 3.18],
      ['IQ4_XS', 4.45],
    ] as const) {
      const { outputBytes } = planExport(LARGE, 'gguf', level)
      expect(outputBytes / 1e9, level).to.be.closeTo(gigabytes, gigabytes * 0.02)
    }
    expect(planExport(LARGE, 'mlx', '4bit').outputBytes / 1e9).to.be.closeTo(4.52, 0.05)
    expect(planExport(LARGE, 'exl2', '4.0').outputBytes / 1e9).to.be.closeTo(4.9, 0.15)
  })

  it('are exact for the files that are written here', () => {
    const config = aConfig('qwen2')
    const weights = baseWeights({ config, weights: someWeights(config) })
    for (const type of ['F32', 'F16', 'Q8_0'] as const) {
      const file = ggufModel({ name: 'tiny', weights, tokenizer: [], type })
      const overhead = file.sizeBytes - planExport(config, 'gguf', type).outputBytes
      expect(overhead, type).to.be.within(0, 6000)
    }
    const [mlx] = mlxModelFiles(weights)
    expect((mlx?.sizeBytes ?? 0) - planExport(config, 'mlx', null).outputBytes).to.be.within(0, 6000)
    const [onnx] = onnxModelFiles(weights)
    expect((onnx?.sizeBytes ?? 0) - planExport(config, 'onnx', null).outputBytes).to.be.within(0, 40_000)
  })

  it('say of every format and level whether it is a plan, and how it is made', () => {
    for (const target of EXPORT_TARGETS) {
      for (const level of QUANT_LEVELS[target]) {
        const plan = planExport(LARGE, target, level)
        expect(plan.outputBytes, `${target} ${level}`).to.be.within(1e9, 33e9)
        if (!plan.isPlanOnly) {
          expect(plan.hint).to.contain('POST /v1/exports')
          continue
        }
        expect(plan.notes[0]).to.contain('plan')
        expect(plan.recipe.commands.join('\n'), `${target} ${level}`).to.not.match(/undefined|NaN/)
        expect(plan.recipe.runtimes).to.not.have.length(0)
        expect(plan.recipe.requiresGpu).to.equal(
          ['awq', 'exl2'].includes(target) || (target === 'onnx' && level === 'fp16'),
        )
      }
    }
    expect(planExport(LARGE, 'gguf', 'iq2_xs').recipe.calibration).to.contain('calibration.txt')
    expect(planExport(LARGE, 'exl2', '4.25').recipe.commands[0]).to.contain('-b 4.25')
  })

  it('refuse levels that a format does not have, and name those that it has', () => {
    for (const [target, level] of [
      ['gguf', 'Q9'],
      ['exl2', '9.0'],
      ['awq', 'w8'],
    ] as const) {
      expect(() => planExport(LARGE, target, level))
        .to.throw(QUANT_LEVELS[target][0])
        .with.property('code', 'unknown_quant')
    }
  })
})
