import type { ModelConfig, RopeScaling } from '../config/model-config.ts'

/** Cosines and sines of the rotary embedding, each [positions, headDim / 2]. */
export interface RopeTables {
  readonly cosine: Float32Array
  readonly sine: Float32Array
}

/**
 * A frequency under a scaling of the context. `linear` divides all of them; `llama3` divides those whose wavelength is
 * beyond `originalContext / lowFreqFactor`, keeps those below `originalContext / highFreqFactor` and blends in between
 * (transformers, `modeling_rope_utils._compute_llama3_parameters`).
 */
function scaleFrequency(frequency: number, scaling: RopeScaling): number {
  switch (scaling.type) {
    case 'none':
      return frequency
    case 'linear':
      return frequency / scaling.factor
    case 'llama3': {
      const { factor, lowFreqFactor, highFreqFactor, originalContext } = scaling
      const wavelength = (2 * Math.PI) / frequency
      if (wavelength > originalContext / lowFreqFactor) return frequency / factor
      if (wavelength < originalContext / highFreqFactor) return frequency
      const blend = (originalContext / wavelength - lowFreqFactor) / (highFreqFactor - lowFreqFactor)
      return ((1 - blend) * frequency) / factor + blend * frequency
    }
  }
}

/** Scaled frequency θ⁻²ⁱᐟᵈ of each pair i of a head of width d, [headDim / 2] (Su et al. 2021). */
export function ropeFrequencies(config: ModelConfig): Float32Array {
  const half = config.headDim / 2
  return Float32Array.from({ length: half }, (_, pair) =>
    scaleFrequency(config.ropeTheta ** (-pair / half), config.ropeScaling),
  )
}

/**
 * Tables for positions 0 … positions − 1, of the angles frequency·position. Frequencies and angles are rounded to
 * float32, as the published implementations compute them.
 */
export function ropeTables(config: ModelConfig, positions: number): RopeTables {
  const half = config.headDim / 2
  const frequencies = ropeFrequencies(config)
  const cosine = new Float32Array(positions * half)
  const sine = new Float32Array(positions * half)
  for (let position = 0; position < positions; position++) {
    for (const [pair, frequency] of frequencies.entries()) {
      const angle = Math.fround(position * frequency)
      cosine[position * half + pair] = Math.cos(angle)
      sine[position * half + pair] = Math.sin(angle)
    }
  }
  return { cosine, sine }
}
