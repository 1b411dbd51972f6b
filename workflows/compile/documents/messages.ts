/** Input of the activities that index documents: ids only; they read the rest from Postgres. */
export interface IndexInput {
  readonly indexId: string
  readonly tenantId: string
}

/** The outcome of a call that indexed files. One that failed ends its workflow as failed with the code. */
export interface IndexOutcome {
  readonly state: 'succeeded'
}
