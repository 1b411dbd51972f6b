import { sql } from 'kysely'
import { SUM_NAMES, type DaySums, type MeasureCount } from '../../../core/gateway/record/dashboard/sum-calls.ts'
import { firstTimedId } from '../../../core/kernel/ids.ts'
import type { CaptureReader } from '../captures/read-columns.ts'
import { BUILDER } from '../../kernel/queries/typed.ts'
import { columnOf } from '../../kernel/tables/define-table.ts'
import { countMeasures, sumDays } from './count-captures.ts'

/** The calls that are summed. */
export interface SummedWindow {
  /** The first day, UTC. */
  readonly since: Date
  readonly namespace?: string | undefined
}

/** Namespaces that are listed. */
const MOST_NAMESPACES = 100

/**
 * Reads the sums of calls by day: of the counted captures out of the sums that a chore keeps, of those behind it out of
 * their rows; and the 100 namespaces with the most calls. Forgotten captures count: the calls were made.
 */
export async function readSums(
  op: CaptureReader,
  { since, namespace }: SummedWindow,
): Promise<{
  readonly days: readonly DaySums[]
  readonly measures: readonly MeasureCount[]
  readonly namespaces: readonly { readonly namespace: string; readonly calls: number }[]
}> {
  const { tenantId } = op
  const day = since.toISOString().slice(0, 10)
  const within = namespace === undefined ? sql<boolean>`true` : sql<boolean>`c.namespace = ${namespace}`
  // Both bounds stand in the statement: it sees one state of head and sums, and the planner expects few rows.
  const head = BUILDER.selectFrom('capture_heads').where('tenant_id', '=', tenantId)
  const isUncounted = sql<boolean>`c.tenant_id = ${tenantId} and c.id >= ${firstTimedId('cap', since)} and ${within}
    and c.position > ${head.select('counted')} and c.position <= ${head.select('position')}`
  const isCounted = sql<boolean>`c.tenant_id = ${tenantId} and c.day >= ${day} and ${within}`
  const [days, measures, namespaces] = await op.read((q) => [
    q
      .selectFrom(
        q
          .selectFrom('capture_days as c')
          .select(['c.tenant_id', 'c.day', 'c.namespace', 'c.provider', 'c.is_local', 'c.reason'])
          .select(SUM_NAMES.map((name) => sql.ref<number>(`c.${columnOf(name)}`).as(columnOf(name))))
          .where(isCounted)
          .unionAll(sumDays(q, isUncounted) as never)
          .as('d'),
      )
      .select(['d.day', 'd.provider', sql<boolean>`d.is_local`.as('isLocal')])
      .select(sql<DaySums['reason']>`d.reason`.as('reason'))
      .select(SUM_NAMES.map((name) => sql<number>`sum(${sql.ref(`d.${columnOf(name)}`)})::double precision`.as(name)))
      .groupBy(['d.day', 'd.provider', 'd.is_local', 'd.reason']),
    q
      .selectFrom(
        q
          .selectFrom('capture_measures as c')
          .select(['c.provider', 'c.measure', 'c.bucket', 'c.calls'])
          .where(isCounted)
          .unionAll(
            q
              .selectFrom(countMeasures(q, isUncounted).as('n'))
              .select(['n.provider', 'n.measure', 'n.bucket', 'n.calls']) as never,
          )
          .as('m'),
      )
      .select(['m.provider', 'm.measure', 'm.bucket'])
      .select(sql<number>`sum(m.calls)::double precision`.as('calls'))
      .groupBy(['m.provider', 'm.measure', 'm.bucket']),
    q
      .selectFrom(
        q
          .selectFrom('capture_days as c')
          .select(['c.namespace', 'c.calls'])
          .where(isCounted)
          .unionAll(q.selectFrom(sumDays(q, isUncounted).as('n')).select(['n.namespace', 'n.calls']) as never)
          .as('s'),
      )
      .select(['s.namespace', sql<number>`sum(s.calls)::double precision`.as('calls')])
      .groupBy('s.namespace')
      .orderBy('calls', 'desc')
      .orderBy('s.namespace')
      .limit(MOST_NAMESPACES),
  ])
  return { days: days as unknown as readonly DaySums[], measures, namespaces }
}
