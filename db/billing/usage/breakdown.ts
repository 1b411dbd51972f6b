import { sql } from 'kysely'
import type { MeterId } from '../../../core/billing/meters.ts'
import { namespaceWithin } from '../../kernel/namespaces/within.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Usage of one kind of work, summed. */
export interface UsageSums {
  /** Captured events. */
  readonly captures: number
  readonly calls: number
  readonly builds: number
  readonly units: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly costUsdMicros: number
  readonly latencySumUs: number
}

/** Usage within one namespace. */
export interface NamespaceUsage extends UsageSums {
  readonly namespace: string
}

/** Usage of one member within one namespace. */
export interface MemberUsage extends NamespaceUsage {
  readonly memberId: string
}

const sumOf = (unit: MeterId) => sql<number>`coalesce(sum(quantity) filter (where unit = ${sql.lit(unit)}), 0)::bigint`

const SUMS = [
  sumOf('captured_events').as('captures'),
  sumOf('gateway_calls').as('calls'),
  sumOf('builds').as('builds'),
  sumOf('quota_units').as('units'),
  sumOf('tokens_in').as('tokensIn'),
  sumOf('tokens_out').as('tokensOut'),
  sql<number>`sum(cost_usd_micros)::bigint`.as('costUsdMicros'),
  sql<number>`sum(latency_sum_us)::double precision`.as('latencySumUs'),
] as const

/**
 * Returns the tenant's usage in a month by namespace, highest cost first; for a key bound to namespaces, only these.
 */
export async function usageByNamespace(op: Operation, period: string): Promise<readonly NamespaceUsage[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('usage_days')
      .select('namespace')
      .select(SUMS)
      .where('tenant_id', '=', op.tenantId)
      .where('day', 'like', `${period}-%`)
      .where(namespaceWithin(op, 'namespace'))
      .groupBy('namespace'),
  )
  return rows.toSorted(dearestFirst)
}

/**
 * Returns a month's usage by the keys of one team, by member and namespace: a member's work outside the team is
 * excluded. With a member, only that member's; for a key bound to namespaces, only these.
 */
export async function usageOfTeam(
  op: Operation,
  input: { readonly teamId: string; readonly period: string; readonly memberId: string | null },
): Promise<readonly MemberUsage[]> {
  const { teamId, period, memberId } = input
  const rows = await op.read((q) =>
    q
      .selectFrom('usage_days')
      .select(['member_id as memberId', 'namespace'])
      .select(SUMS)
      .where('tenant_id', '=', op.tenantId)
      .where('team_id', '=', teamId)
      .where('day', 'like', `${period}-%`)
      .$if(memberId !== null, (all) => all.where('member_id', '=', memberId ?? ''))
      .where(namespaceWithin(op, 'namespace'))
      .groupBy(['member_id', 'namespace']),
  )
  return rows.toSorted(dearestFirst)
}

/** Adds up several sums. */
export function addUp(parts: readonly UsageSums[]): UsageSums {
  return parts.reduce<UsageSums>(
    (sum, part) => ({
      captures: sum.captures + part.captures,
      calls: sum.calls + part.calls,
      builds: sum.builds + part.builds,
      units: sum.units + part.units,
      tokensIn: sum.tokensIn + part.tokensIn,
      tokensOut: sum.tokensOut + part.tokensOut,
      costUsdMicros: sum.costUsdMicros + part.costUsdMicros,
      latencySumUs: sum.latencySumUs + part.latencySumUs,
    }),
    NOTHING,
  )
}

const NOTHING: UsageSums = {
  captures: 0,
  calls: 0,
  builds: 0,
  units: 0,
  tokensIn: 0,
  tokensOut: 0,
  costUsdMicros: 0,
  latencySumUs: 0,
}

function dearestFirst(a: NamespaceUsage, b: NamespaceUsage): number {
  return b.costUsdMicros - a.costUsdMicros || b.units - a.units || a.namespace.localeCompare(b.namespace, 'en')
}
