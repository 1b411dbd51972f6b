/** A text or a name that a tenant may use. */
export interface Allowance {
  readonly text: string
  /** Whose licence it is, for the record. */
  readonly note: string | null
}
