/** Settings of AdamW. */
export interface AdamWSettings {
  readonly weightDecay: number
  readonly beta1: number
  readonly beta2: number
  readonly epsilon: number
}

/** Running means of the gradient and of its square, one pair of numbers for each parameter. */
export interface Moments {
  readonly first: Float32Array
  readonly second: Float32Array
}

/** A run of parameters in a flat array, and whether it decays: vectors such as norms and biases do not. */
export interface DecayRange {
  readonly offset: number
  readonly size: number
  readonly isDecayed: boolean
}

/** Moments before the first step. */
export function createMoments(size: number): Moments {
  return { first: new Float32Array(size), second: new Float32Array(size) }
}

/**
 * One step of AdamW, in place: θ ← θ·(1 − ηλ), m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g²,
 * θ ← θ − η·m̂/(√v̂ + ε) with m̂ = m/(1 − β₁ᵗ) and v̂ = v/(1 − β₂ᵗ) (Loshchilov and Hutter, "Decoupled Weight Decay
 * Regularization", 2019, algorithm 2). Gradients are multiplied by `gradientScale` as they are read. `step` is t, from 1.
 */
export function stepAdamW(
  values: Float32Array,
  gradients: Float32Array,
  moments: Moments,
  ranges: readonly DecayRange[],
  settings: AdamWSettings,
  at: { readonly step: number; readonly learningRate: number; readonly gradientScale: number },
): void {
  const { beta1, beta2, epsilon, weightDecay } = settings
  const { first, second } = moments
  const { learningRate, gradientScale } = at
  const size = learningRate / (1 - beta1 ** at.step)
  const correction = 1 / Math.sqrt(1 - beta2 ** at.step)
  for (const { offset, size: count, isDecayed } of ranges) {
    const kept = isDecayed ? 1 - learningRate * weightDecay : 1
    for (let i = offset, end = offset + count; i < end; i++) {
      const gradient = (gradients[i] ?? 0) * gradientScale
      const m = beta1 * (first[i] ?? 0) + (1 - beta1) * gradient
      const v = beta2 * (second[i] ?? 0) + (1 - beta2) * gradient * gradient
      first[i] = m
      second[i] = v
      values[i] = (values[i] ?? 0) * kept - (size * m) / (Math.sqrt(v) * correction + epsilon)
    }
  }
}

/** The Euclidean norm of all numbers. */
export function globalNorm(gradients: Float32Array): number {
  let sum = 0
  for (let i = 0; i < gradients.length; i++) sum += (gradients[i] ?? 0) ** 2
  return Math.sqrt(sum)
}

/**
 * Returns the factor that scales gradients so that their norm does not exceed `limit` (Pascanu et al., "On the
 * difficulty of training recurrent neural networks", 2013). 0 for `limit` means no limit.
 */
export function clippingScale(norm: number, limit: number): number {
  // PyTorch's clip_grad_norm_ adds the same small term.
  return limit > 0 && norm > limit ? limit / (norm + 1e-6) : 1
}
