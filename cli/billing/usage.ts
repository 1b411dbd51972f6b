import { GetUsageAnswer } from '../../core/billing/wire/usage/usage.ts'
import type { CliContext } from '../context.ts'
import { formatFacts, formatTime } from '../terminal/table.ts'

/** `svc usage`: the units of a month, and when the quota resets. */
export async function showUsage(context: CliContext, options: { readonly period?: string }): Promise<void> {
  const client = await context.client()
  const query = options.period === undefined ? '' : `?period=${encodeURIComponent(options.period)}`
  const usage = await client.call(`/v1/billing/usage${query}`, GetUsageAnswer)
  const { used, quota } = usage
  context.output.result(usage, () =>
    formatFacts([
      ['plan', usage.plan],
      ['month', usage.period],
      ['units', `${format(used)} of ${format(quota)} used, ${format(Math.max(0, quota - used))} left`],
      ['resets', formatTime(usage.resets_at)],
      ...(usage.over_hard.length === 0
        ? []
        : [['at the limit', usage.over_hard.join(', ').replaceAll('_', ' ')] as const]),
    ]),
  )
}

function format(units: number): string {
  return units.toLocaleString('en-US')
}
