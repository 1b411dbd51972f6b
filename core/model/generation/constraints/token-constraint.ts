/**
 * What may be written next, token by token. States are numbers; only those that `next` has given may be asked about.
 */
export interface TokenConstraint {
  readonly start: number
  /** Tokens that may follow, each once; from each of them the end can be reached. The caller must not change the list. */
  allowed(state: number): Int32Array
  /** True when the answer may end here. */
  mayEnd(state: number): boolean
  next(state: number, token: number): number
  /** Those of the allowed tokens after which the end can be reached within `tokensLeft` further ones. */
  allowedWithin(state: number, tokensLeft: number): Int32Array
}
