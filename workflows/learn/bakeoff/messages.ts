/** Input of the workflow of a bake-off: ids and names; activities read the rest from Postgres. */
export interface BakeoffInput {
  readonly bakeoffId: string
  readonly tenantId: string
  /** The name of each contestant, in their order. */
  readonly contestants: readonly string[]
  /** For each contestant whether it takes turns with the work of other tenants; absent where it is not known. */
  readonly takesTurns?: readonly boolean[]
  /** True when a judge compares their answers. */
  readonly isJudged: boolean
}

/** The outcome of a bake-off. One that failed ends its workflow as failed with the code. */
export interface BakeoffOutcome {
  readonly state: 'succeeded'
}
