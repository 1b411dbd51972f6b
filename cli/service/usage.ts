import { GetUsageAnswer } from '../../core/billing/wire/usage/usage.ts'
import { GetAccountAnswer } from '../../core/overview/wire/account/account.ts'
import { CliError } from '../cli-error.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliContext } from '../context.ts'
import { formatFacts, formatTime } from '../terminal/table.ts'

/** Units of a month. */
interface Units {
  readonly used: number
  readonly quota: number
  readonly resets_at: string
}

/** `svc usage`: the units of a month, and when the quota resets. */
export async function showUsage(context: CliContext, options: { readonly period?: string }): Promise<void> {
  const client = await context.client()
  const query = options.period === undefined ? '' : `?period=${encodeURIComponent(options.period)}`
  try {
    const usage = await client.call(`/v1/billing/usage${query}`, GetUsageAnswer)
    const { plan, period, over_hard: over } = usage
    const limits = over.length === 0 ? [] : [['at the limit', over.join(', ').replaceAll('_', ' ')] as const]
    context.output.result(usage, () =>
      formatFacts([['plan', plan], ['month', period], ...describeUnits(usage), ...limits]),
    )
  } catch (error) {
    const isScope = error instanceof CliError && error.code === 'insufficient_scope'
    if (!isScope || options.period !== undefined) throw error
    await showUnits(context, client, error)
  }
}

/**
 * Shows the units of this month by the account, which an anonymous workspace may read, unlike its bill. Throws
 * `unscoped` for other keys that lack the scope.
 */
async function showUnits(context: CliContext, client: ApiClient, unscoped: CliError): Promise<void> {
  const account = await client.call('/v1/account', GetAccountAnswer)
  const { id, kind, quota, period, expires_at: expiresAt } = account
  if (kind !== 'anonymous') throw unscoped
  const units = { used: period.used, quota, resets_at: period.resets_at }
  context.output.result({ tenant_id: id, plan: kind, ...units, expires_at: expiresAt }, () =>
    formatFacts([
      ['plan', 'anonymous workspace; svc signup makes it an account'],
      ...describeUnits(units),
      ...(expiresAt === null ? [] : [['ends', formatTime(expiresAt)] as const]),
    ]),
  )
}

function describeUnits({ used, quota, resets_at: resetsAt }: Units): (readonly [string, string])[] {
  return [
    ['units', `${format(used)} of ${format(quota)} used, ${format(Math.max(0, quota - used))} left`],
    ['resets', formatTime(resetsAt)],
  ]
}

function format(units: number): string {
  return units.toLocaleString('en-US')
}
