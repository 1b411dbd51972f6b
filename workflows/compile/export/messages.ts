/** What activities of an export are called with: ids only; they read the rest from Postgres. */
export interface ExportInput {
  readonly exportId: string
  readonly tenantId: string
}

/** How an export ended well. A workflow whose export failed ends as failed with the code. */
export interface ExportOutcome {
  readonly state: 'succeeded'
}
