import { expect } from 'chai'
import fc from 'fast-check'
import {
  findKnownModel,
  KNOWN_MODELS,
  parametersOf,
} from '../../../../../core/compile/stages/advice/fit/known-models.ts'
import { fitMemory, pickBestFit, type FitInput } from '../../../../../core/compile/stages/advice/fit/memory-fit.ts'
import { PICK_ORDER, QUANT_NAMES } from '../../../../../core/compile/stages/advice/fit/methods.ts'

const on = (paramsB: number, vramGb: number): FitInput => ({
  paramsB,
  vramGb,
  context: 8192,
  batch: 1,
  kvPrecision: 'fp16',
})

describe('memory fit', () => {
  it('gives the published figures', () => {
    expect(fitMemory(on(7, 24), 'int4')).to.include({
      weightsGb: 3.9,
      kvGb: 1.3,
      activationsGb: 0.3,
      overheadGb: 1,
      totalGb: 6.5,
      headroomGb: 17.5,
      fitClass: 'comfortable',
    })
    expect(fitMemory(on(70, 80), 'fp16')).to.include({
      weightsGb: 140,
      kvGb: 12.6,
      activationsGb: 11.2,
      totalGb: 164.8,
      fitClass: 'over',
      fits: false,
    })
    const picked = pickBestFit(on(32, 24))
    expect(picked).to.include({ picked: 'gguf-iq3xxs', evaluated: 17, smallestAttempt: null })
    expect(picked.fit?.totalGb).to.equal(20.6)
  })

  it('computes the cache exactly when the attention is known', () => {
    const attention = { layers: 32, kvHeads: 8, headDim: 128, source: 'given' }
    const fit = fitMemory({ ...on(8, 24), context: 32_768, batch: 2, attention }, 'int4')
    // 2 * 32 * 8 * 128 * 32768 * 2 * 2 bytes
    expect(fit.kvGb).to.equal(8.6)
    expect(fit.assumptions[0]).to.contain('exact')
    expect(fitMemory(on(8, 24), 'int4').assumptions[0]).to.contain('average')
  })

  it('knows published models by the names people use, and counts their parameters', () => {
    for (const [name, billions] of [
      ['meta-llama/Meta-Llama-3.1-8B-Instruct', 8.03],
      ['Qwen/Qwen2.5-7B-Instruct', 7.62],
      ['Qwen/Qwen3-0.6B', 0.596],
      ['HuggingFaceTB/SmolLM2-135M', 0.1345],
      ['mistralai/Mistral-7B-Instruct-v0.3', 7.25],
      ['meta-llama/Llama-2-13b-chat-hf', 13.02],
    ] as const) {
      const known = findKnownModel(name)
      expect(known, name).to.not.equal(undefined)
      if (known !== undefined) expect(parametersOf(known) / 1e9, name).to.be.closeTo(billions, billions / 200)
    }
    expect(KNOWN_MODELS.every((name) => findKnownModel(name) !== undefined)).to.equal(true)
    expect(findKnownModel('someone/else-9b')).to.equal(undefined)
  })

  it('picks what needs special hardware only where that is known to be there', () => {
    // fp16 is too large, fp8 would leave room.
    const machine = on(12, 24)
    expect(pickBestFit(machine)).to.include({ picked: 'gguf-q8' })
    expect(pickBestFit(machine).rationale).to.contain('fp8')
    expect(pickBestFit({ ...machine, computeCapability: 8.6 })).to.include({ picked: 'gguf-q8' })
    expect(pickBestFit({ ...machine, computeCapability: 9 })).to.include({ picked: 'fp8' })
    expect(pickBestFit(machine, ['fp8', 'int4'])).to.include({ picked: 'fp8', evaluated: 1 })
  })

  it('says what to do instead when nothing fits', () => {
    const none = pickBestFit(on(400, 24))
    expect(none).to.include({ picked: null, fit: null, evaluated: PICK_ORDER.length })
    expect(none.smallestAttempt?.quant).to.equal('gguf-iq2xs')
    expect(fitMemory(on(400, 24), 'fp16').recommendation).to.equal('needs sharding / offload')
    expect(fitMemory(on(20, 24), 'fp16').recommendation).to.equal('use gguf-q6k')
  })

  it('adds up, and takes more memory for more of anything', () => {
    const inputs = fc.record({
      paramsB: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
      vramGb: fc.double({ min: 0.1, max: 1e6, noNaN: true }),
      context: fc.integer({ min: 1, max: 1_048_576 }),
      batch: fc.integer({ min: 1, max: 1023 }),
      kvPrecision: fc.constantFrom('fp16' as const, 'int8' as const, 'int4' as const),
    })
    fc.assert(
      fc.property(inputs, fc.constantFrom(...QUANT_NAMES), (input, quant) => {
        const fit = fitMemory(input, quant)
        const sum = fit.weightsGb + fit.kvGb + fit.activationsGb + fit.overheadGb
        expect(fit.totalGb).to.be.closeTo(sum, Math.max(0.06, sum * 1e-9))
        expect(fit.fits).to.equal(fit.totalGb <= input.vramGb)
        expect(fitMemory({ ...input, batch: input.batch + 1 }, quant).totalGb).to.be.at.least(fit.totalGb)
        expect(fitMemory(input, quant).sha256).to.equal(fit.sha256)
      }),
      { numRuns: 200 },
    )
  })
})
