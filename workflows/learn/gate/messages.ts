/** Input of the activities of gates: ids only; they read the rest from Postgres. */
export interface GateInput {
  readonly gateId: string
  readonly tenantId: string
}

/** The outcome of a gate that was decided; the decision stands in its row. One that failed ends its workflow as failed. */
export interface GateOutcome {
  readonly state: 'succeeded'
}
