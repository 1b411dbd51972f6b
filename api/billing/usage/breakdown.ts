import { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { atLeast } from '../../../core/accounts/roles.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { listTeamMembers, type TeamMemberView } from '../../../db/accounts/teams/list-teams.ts'
import { requireTeamRole } from '../../../db/accounts/teams/team-access.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { periodOf } from '../../../db/billing/quota/period.ts'
import {
  addUp,
  usageByNamespace,
  usageOfTeam,
  type MemberUsage,
  type UsageSums,
} from '../../../db/billing/usage/breakdown.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { Period } from './period.ts'
import {
  UsageBreakdownAnswer,
  type MemberUsageView,
  type NamespaceUsageView,
  type Sums,
} from '../../../core/billing/wire/usage/breakdown.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { defineRoute } from '../services.ts'

export const getBreakdownRoute = defineRoute({
  method: 'get',
  path: '/v1/billing/breakdown',
  operationId: 'getBreakdown',
  group: 'billing',
  summary: 'Show usage and cost of a month, by namespace or team',
  description:
    'The use of a team is the use of its keys; calls of its members with other keys do not count. Admins and owners of a team see all members, other members see themselves.',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'bounded',
  query: z.object({
    period: Period,
    by: z.enum(['namespace', 'team']).default('namespace'),
    team_id: z.string().max(100).optional().meta({ description: 'Required with `by=team`' }),
  }),
  fieldCodes: { period: 'invalid_period', by: 'invalid_value' },
  answers: { 200: envelope('The sums and their parts, the dearest first', UsageBreakdownAnswer) },
  errors: ['invalid_period', 'invalid_value', 'not_found', 'forbidden'],
}).handle(async ({ op, principal, query }) => {
  const period = query.period ?? periodOf(op.now())
  if (query.by === 'namespace') return { status: 200, body: await byNamespace(op, period) }
  if (query.team_id === undefined)
    throw invalidField('team_id', 'is required with by=team', ACCOUNTS_ERRORS.invalid_value)
  return { status: 200, body: await byTeam(op, principal, query.team_id, period) }
})

async function byNamespace(op: Operation, period: string): Promise<z.input<typeof UsageBreakdownAnswer>> {
  const namespaces = await usageByNamespace(op, period)
  return {
    by: 'namespace',
    period,
    tenant_id: op.tenantId,
    totals: presentSums(addUp(namespaces)),
    namespaces: namespaces.map(presentNamespace),
  }
}

async function byTeam(
  op: Operation,
  { memberId: callerId }: Principal,
  teamId: string,
  period: string,
): Promise<z.input<typeof UsageBreakdownAnswer>> {
  const team = await requireTeamRole(op, op, { teamId, callerId, role: 'viewer' })
  const isPrivileged = atLeast(team.role, 'admin')
  const [used, members] = await Promise.all([
    usageOfTeam(op, { teamId, period, memberId: isPrivileged ? null : callerId }),
    allMembers(op, teamId, callerId),
  ])
  const emails = new Map(members.map((member) => [member.memberId, member.email]))
  const shown = isPrivileged ? members.map(({ memberId }) => memberId) : callerId === null ? [] : [callerId]
  const ids = new Set([...shown, ...used.map(({ memberId }) => memberId)])
  return {
    by: 'team',
    period,
    tenant_id: op.tenantId,
    team_id: team.id,
    team_slug: team.slug,
    caller_role: team.role,
    privileged: isPrivileged,
    totals: presentSums(addUp(used)),
    members: [...ids].map((memberId) => presentMember(memberId, emails.get(memberId) ?? null, used)),
  }
}

/** A team has no more members than its plan has seats, so a few pages at most. */
async function allMembers(op: Operation, teamId: string, callerId: string | null): Promise<readonly TeamMemberView[]> {
  const members: TeamMemberView[] = []
  let cursor: string | undefined
  do {
    const page = await listTeamMembers(op, { teamId, callerId, limit: 200, cursor })
    members.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return members
}

function presentMember(
  memberId: string,
  email: string | null,
  used: readonly MemberUsage[],
): z.input<typeof MemberUsageView> {
  const own = used.filter((part) => part.memberId === memberId)
  return { member_id: memberId, email, ...presentSums(addUp(own)), namespaces: own.map(presentNamespace) }
}

function presentNamespace(part: UsageSums & { readonly namespace: string }): z.input<typeof NamespaceUsageView> {
  return {
    namespace: part.namespace,
    ...presentSums(part),
    latency_ms_avg: part.calls === 0 ? null : Math.round(part.latencySumUs / part.calls) / 1000,
  }
}

function presentSums(sums: UsageSums): z.input<typeof Sums> {
  return {
    captures: sums.captures,
    calls: sums.calls,
    builds: sums.builds,
    units: sums.units,
    tokens_in: sums.tokensIn,
    tokens_out: sums.tokensOut,
    cost_micro_usd: sums.costUsdMicros,
    cost_usd: sums.costUsdMicros / 1_000_000,
  }
}
