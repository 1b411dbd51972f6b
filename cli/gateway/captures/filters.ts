/** Options that select captures. */
export interface FilterFlags {
  readonly namespace?: string
  readonly status?: string
  readonly source?: string
  readonly riskMin?: string
  readonly pii?: string
  readonly from?: string
  readonly to?: string
  readonly query?: string
}

/** The query of a call that selects captures. */
export function filterQuery(flags: FilterFlags, others: Readonly<Record<string, string | undefined>>): string {
  const { namespace, status, source, riskMin, pii, from, to, query: q } = flags
  const asked = { namespace, status, source, risk_min: riskMin, pii, from, to, q, ...others }
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) given.set(name, value)
  return given.toString()
}
