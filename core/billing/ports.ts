import type { MeterId } from './meters.ts'

/** A calendar month (UTC), from its first moment until that of the next one. */
export interface MeterMonth {
  readonly from: Date
  readonly until: Date
  /** True for the present month, which has the figures of the present state too. */
  readonly isCurrent: boolean
}

/** Amounts by meter; a meter that is not counted is absent. */
export type MeterAmounts = Readonly<Partial<Record<MeterId, number>>>

/** Counts meters by rows of a later area: a port, which that area fills. `Op` is the operation that reads them. */
export type CountMeters<Op> = (op: Op, month: MeterMonth) => Promise<MeterAmounts>
