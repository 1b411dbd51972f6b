/** Input of the activities of a run: ids only; they read the rest from Postgres. */
export interface DistillInput {
  readonly runId: string
  readonly tenantId: string
  readonly kind: string
}

/** The outcome of a run. One that failed or was cancelled ends its workflow so. */
export interface DistillOutcome {
  readonly state: 'completed'
  readonly artifactId: string | null
  readonly kScore: number | null
}
