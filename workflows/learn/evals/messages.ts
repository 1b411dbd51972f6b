/** Input of the activities of an evaluation: ids only; they read the rest from Postgres. */
export interface EvaluateInput {
  readonly evaluationId: string
  readonly tenantId: string
  /** True where a provider's model is asked before the rows are scored. */
  readonly asksModel?: boolean
  /** From 2 on a run that was resumed after it had failed; absent for a run of an earlier release. */
  readonly attempt?: number
  /** True where the target takes turns with the work of other tenants; absent where it is not known. */
  readonly takesTurns?: boolean
}

/** The outcome of an evaluation. One that failed ends its workflow as failed with the code. */
export interface EvaluateOutcome {
  readonly state: 'succeeded'
}
