/** Settings of the learning rate's schedule. */
export interface ScheduleSettings {
  /** The highest learning rate. */
  readonly learningRate: number
  /** The share of all steps over which it rises. */
  readonly warmupRatio: number
  /** The share of the highest rate that is left at the end. */
  readonly finalLearningRateShare: number
}

/**
 * The learning rate of a step, counted from 1 to `steps`: rises linearly over the warm-up and then falls along half a
 * cosine (Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017).
 */
export function learningRateAt(step: number, steps: number, settings: ScheduleSettings): number {
  const { learningRate, warmupRatio, finalLearningRateShare } = settings
  const warmup = Math.ceil(warmupRatio * steps)
  if (step <= warmup) return (learningRate * step) / warmup
  const progress = (step - warmup) / Math.max(1, steps - warmup)
  const share = finalLearningRateShare + (1 - finalLearningRateShare) * 0.5 * (1 + Math.cos(Math.PI * progress))
  return learningRate * share
}
