const MOST_ROUNDS = 30
/** Largest error of the sum of the shares, and of the logarithm of a share. */
const CLOSE = 1e-7

/**
 * Solves for the shares of one row in the dual of multinomial logistic regression: the distribution q over the labels with
 * q_k proportional to exp(s_k - c (q_k - p_k)), where s are the scores of the row while its shares are p, and c is the
 * squared length of its features times the inverse strength of the penalty. Holds what it needs, to be used again.
 */
export class ShareSolver {
  /** The scores of the row; overwritten by \`solve\`. */
  readonly scores: Float64Array
  /** The loss of each share in the last call. */
  readonly change: Float64Array

  constructor(labels: number) {
    this.scores = new Float64Array(labels)
    this.change = new Float64Array(labels)
  }

  /**
   * Replaces the shares of the row by the solution, which is unique; returns half the sum of their changes: the part of the
   * row that went to another label.
   */
  solve(shares: Float32Array, c: number): number {
    const { scores, change } = this
    const labels = shares.length
    let largest = -Infinity
    for (const score of scores) if (score > largest) largest = score
    let sum = 0
    for (const score of scores) sum += Math.exp(score - largest)
    // log q_k + c q_k = scores_k - level, for the level at which the shares sum to 1; found by Newton's method.
    let level = largest + Math.log(sum)
    for (let label = 0; label < labels; label++) scores[label] = (scores[label] ?? 0) + c * (shares[label] ?? 0)
    for (let round = 0; round < MOST_ROUNDS; round++) {
      let total = 0
      let slope = 0
      for (let label = 0; label < labels; label++) {
        const share = shareAt((scores[label] ?? 0) - level, c)
        change[label] = share
        total += share
        slope += share / (1 + c * share)
      }
      if (Math.abs(total - 1) < CLOSE) break
      level += (total - 1) / slope
    }
    let moved = 0
    for (let label = 0; label < labels; label++) {
      const before = shares[label] ?? 0
      shares[label] = change[label] ?? 0
      // As it is kept, rounded, so that the weights stay the sum over the shares.
      const lost = before - (shares[label] ?? 0)
      change[label] = lost
      moved += Math.abs(lost)
    }
    return moved / 2
  }
}

/** The solution q of log q + c q = a, by Newton's method for log q. */
function shareAt(a: number, c: number): number {
  let log = Math.min(a, Math.log(Math.max(1, a) / c))
  let share = Math.exp(log)
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const step = (log + c * share - a) / (1 + c * share)
    log -= step
    share = Math.exp(log)
    if (Math.abs(step) < CLOSE) break
  }
  return share
}
