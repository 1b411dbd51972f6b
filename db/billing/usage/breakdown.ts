import { boundsOf, inBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Use of one kind of work, added up. */
export interface UsageSums {
  /** Events that were handed in. */
  readonly captures: number
  readonly calls: number
  readonly builds: number
  readonly units: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly costUsdMicros: number
  readonly latencySumUs: number
}

/** Use within one namespace. */
export interface NamespaceUsage extends UsageSums {
  readonly namespace: string
}

/** Use by one member within one namespace. */
export interface MemberUsage extends NamespaceUsage {
  readonly memberId: string
}

const SUMS = `
  coalesce(sum(quantity) filter (where unit = 'captured_events'), 0)::bigint as captures,
  coalesce(sum(quantity) filter (where unit = 'gateway_calls'), 0)::bigint as calls,
  coalesce(sum(quantity) filter (where unit = 'builds'), 0)::bigint as builds,
  coalesce(sum(quantity) filter (where unit = 'quota_units'), 0)::bigint as units,
  coalesce(sum(quantity) filter (where unit = 'tokens_in'), 0)::bigint as "tokensIn",
  coalesce(sum(quantity) filter (where unit = 'tokens_out'), 0)::bigint as "tokensOut",
  sum(cost_usd_micros)::bigint as "costUsdMicros",
  sum(latency_sum_us)::double precision as "latencySumUs"`

/** What the tenant used in a month by namespace, the dearest first; of a key that is bound to namespaces these only. */
export async function usageByNamespace(op: Operation, period: string): Promise<readonly NamespaceUsage[]> {
  const rows = await op.db.query<NamespaceUsage>(
    `select namespace, ${SUMS} from usage_days
     where tenant_id = $1 and day like $2 and ${inBounds('namespace', 3)} group by namespace`,
    [op.tenantId, `${period}-%`, boundsOf(op)],
  )
  return rows.toSorted(dearestFirst)
}

/**
 * What was used in a month with keys of one team, by member and namespace: work that a member does outside the team is
 * not part of it. With a member, only that member's; of a key that is bound to namespaces these only.
 */
export async function usageOfTeam(
  op: Operation,
  input: { readonly teamId: string; readonly period: string; readonly memberId: string | null },
): Promise<readonly MemberUsage[]> {
  const rows = await op.db.query<MemberUsage>(
    `select member_id as "memberId", namespace, ${SUMS} from usage_days
     where tenant_id = $1 and team_id = $2 and day like $3 and ($4::text is null or member_id = $4)
       and ${inBounds('namespace', 5)}
     group by member_id, namespace`,
    [op.tenantId, input.teamId, `${input.period}-%`, input.memberId, boundsOf(op)],
  )
  return rows.toSorted(dearestFirst)
}

/** Several sums as one. */
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
