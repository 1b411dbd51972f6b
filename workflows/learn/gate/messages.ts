/** Input of the workflow of a gate: ids only; activities read the rest from Postgres. */
export interface GateInput {
  readonly gateId: string
  readonly tenantId: string
  /** True where an artifact takes turns with the work of other tenants; absent where it is not known. */
  readonly takesTurns?: boolean
}

/** The outcome of a gate that was decided; the decision stands in its row. One that failed ends its workflow as failed. */
export interface GateOutcome {
  readonly state: 'succeeded'
}
