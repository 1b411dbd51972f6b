/** Input of the activities of a version: ids only; they read the rest from Postgres. */
export interface DatasetInput {
  readonly datasetId: string
  readonly version: number
  readonly tenantId: string
}

/** The outcome of a version. One that failed ends its workflow as failed with the code. */
export interface DatasetOutcome {
  readonly state: 'ready'
}
