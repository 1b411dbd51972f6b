import { expect } from 'chai'
import type { RopeScaling } from '../../../core/model/config/model-config.ts'
import { ropeFrequencies, ropeTables } from '../../../core/model/llama/rope.ts'
import { tinyModel } from './tiny-model.ts'

function frequencies(ropeScaling: RopeScaling): readonly number[] {
  return [...ropeFrequencies({ ...tinyModel, headDim: 8, ropeTheta: 10_000, ropeScaling })]
}

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual).to.have.length(expected.length)
  for (const [index, value] of expected.entries()) expect(actual[index]).to.be.closeTo(value, 1e-6)
}

describe('ropeTables', () => {
  it('turns each pair by its own frequency, from one radian per position down', () => {
    expectClose(frequencies({ type: 'none' }), [1, 0.1, 0.01, 0.001])
    const { cosine, sine } = ropeTables({ ...tinyModel, headDim: 8 }, 3)
    expectClose(cosine.slice(0, 4), [1, 1, 1, 1])
    expectClose(cosine.slice(8), [2, 0.2, 0.02, 0.002].map(Math.cos))
    expectClose(sine.slice(8), [2, 0.2, 0.02, 0.002].map(Math.sin))
  })

  it('divides all frequencies under linear scaling', () => {
    expectClose(frequencies({ type: 'linear', factor: 4 }), [0.25, 0.025, 0.0025, 0.00025])
  })

  it('keeps high frequencies, divides low ones and blends between under llama3 scaling', () => {
    const scaling = { type: 'llama3', factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalContext: 128 } as const
    // Wavelengths 6.3, 63, 628 and 6283 tokens; kept below 32, divided above 128.
    const blend = (128 / (20 * Math.PI) - 1) / 3
    expectClose(frequencies(scaling), [1, ((1 - blend) * 0.1) / 8 + blend * 0.1, 0.01 / 8, 0.001 / 8])
  })
})
