import { z } from 'zod'
import { RoleName } from '../../../accounts/wire/roles.ts'

/** Counts of a part of the usage. */
export const Sums = z.object({
  captures: z.int(),
  calls: z.int(),
  builds: z.int(),
  units: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  cost_micro_usd: z.int(),
  cost_usd: z.number(),
})

/** Usage of one namespace. */
export const NamespaceUsageView = Sums.extend({
  namespace: z.string(),
  latency_ms_avg: z.number().nullable().meta({ description: 'Over metered calls; null without one' }),
})

/** Usage of one member of a team. */
export const MemberUsageView = Sums.extend({
  member_id: z.string().meta({ description: 'Empty for the team’s keys that belong to no member' }),
  email: z.string().nullable().meta({ description: 'Null for a former member of the team' }),
  namespaces: z.array(NamespaceUsageView),
})

/** Answer of `GET /v1/billing/breakdown`. */
export const UsageBreakdownAnswer = z.object({
  by: z.enum(['namespace', 'team']),
  period: z.string(),
  tenant_id: z.string(),
  totals: Sums,
  namespaces: z.array(NamespaceUsageView).optional().meta({ description: 'With `by=namespace`' }),
  team_id: z.string().optional(),
  team_slug: z.string().optional(),
  caller_role: RoleName.optional(),
  privileged: z.boolean().optional().meta({ description: 'True for callers who can see every member’s usage' }),
  members: z.array(MemberUsageView).optional().meta({ description: 'With `by=team`' }),
})
