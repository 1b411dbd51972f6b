/** The allowed next tokens of an answer. States are numbers; callers may pass only states returned by `next`. */
export interface TokenConstraint {
  readonly start: number
  /** Tokens that may follow, each once; from each of them the end can be reached. The caller must not change the list. */
  allowed(state: number): Int32Array
  /** True when the answer may end here. */
  mayEnd(state: number): boolean
  next(state: number, token: number): number
  /** Allowed tokens after which the end is reachable within `tokensLeft` further ones. */
  allowedWithin(state: number, tokensLeft: number): Int32Array
}
