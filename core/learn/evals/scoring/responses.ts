/** The likelihood of a continuation. */
export interface Likelihood {
  /** Natural logarithm of the probability of the continuation. */
  readonly logProb: number
  /** True when each token of it is the likeliest one. */
  readonly isGreedy: boolean
}

/** The answers of the target to the requests of one row. */
export type RowResponses =
  /** One for each request of `loglikelihood` and `multiple_choice`. */
  | { readonly type: 'likelihoods'; readonly likelihoods: readonly Likelihood[] }
  | { readonly type: 'rolling'; readonly logProb: number }
  /** The answers of `generate_until`, one for each repeat. */
  | { readonly type: 'texts'; readonly texts: readonly string[] }
