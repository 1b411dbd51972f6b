/** Input of the workflow of a measurement: ids only; activities read the rest from Postgres. */
export interface InferenceInput {
  readonly measurementId: string
  readonly tenantId: string
}

/** The outcome of a measurement. One that failed ends its workflow as failed with the code. */
export interface InferenceOutcome {
  readonly state: 'succeeded'
}
