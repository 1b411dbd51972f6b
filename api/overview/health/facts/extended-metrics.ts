import type { CallTotals } from '../../../../db/overview/across/counts/usage-totals.ts'
import { BOUNDS_S } from '../../../../db/compile/invocations/histogram.ts'

/** The figures of the extended page. */
export interface ExtendedMetrics {
  readonly calls: CallTotals
  readonly units: ReadonlyMap<string, number>
  /** Calls that wait for an open base; null for readers who must not see other tenants. */
  readonly waiting: number | null
}

interface Sample {
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string | number>>
  readonly value: number
}

/**
 * The page in the text format 0.0.4. Written by hand and not by a registry: its figures are totals out of the database,
 * and a registry counts what passes by.
 */
export function renderExtendedMetrics({ calls, units, waiting }: ExtendedMetrics): string {
  const done = calls.calls - calls.failures
  return [
    family('svc_inferences_total', 'counter', 'Calls of own artifacts, by outcome', [
      { labels: { status: 'ok' }, value: done },
      { labels: { status: 'failed' }, value: calls.failures },
    ]),
    family('svc_inference_cache_hits_total', 'counter', 'Calls that were answered from the cache', [
      { value: calls.cacheHits },
    ]),
    family('svc_latency_seconds', 'histogram', 'Time of calls that were no cache hits', latencySamples(calls)),
    family(
      'svc_usage_units_total',
      'counter',
      'What was used, by meter',
      [...units].map(([unit, value]) => ({ labels: { unit }, value })),
    ),
    ...(waiting === null
      ? []
      : [family('svc_inference_queue_depth', 'gauge', 'Calls that wait for an open base here', [{ value: waiting }])]),
  ].join('')
}

function latencySamples({ byBound, latencySumUs }: CallTotals): readonly Sample[] {
  const upTo = (places: number): number => byBound.slice(0, places).reduce((sum, calls) => sum + calls, 0)
  const count = upTo(byBound.length)
  const below = BOUNDS_S.map((bound, place) => ({
    suffix: '_bucket',
    labels: { le: bound },
    value: upTo(place + 1),
  }))
  return [
    ...below,
    { suffix: '_bucket', labels: { le: '+Inf' }, value: count },
    { suffix: '_sum', value: latencySumUs / 1e6 },
    { suffix: '_count', value: count },
  ]
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(String(text))}"`)
    return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
