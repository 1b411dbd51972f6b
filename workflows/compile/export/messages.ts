/** Input of the export activities: ids only; they read the rest from Postgres. */
export interface ExportInput {
  readonly exportId: string
  readonly tenantId: string
}

/** The outcome of a successful export. A workflow whose export failed ends as failed with the code. */
export interface ExportOutcome {
  readonly state: 'succeeded'
}
