import { Counter, Histogram, type Registry } from 'prom-client'
import type { Outcome } from '../../../core/gateway/record/call-record.ts'
import { countedModel } from '../../../core/gateway/record/conventions.ts'
import type { CallWatch } from './call-watch.ts'

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/**
 * Counts calls for the page of metrics. Labels have few values and name no tenant: a model that is in no price list
 * counts as `other`.
 */
export function createCallCounters(registry: Registry): CallWatch {
  const registers = [registry]
  const calls = new Counter({
    name: 'svc_gateway_calls_total',
    help: 'Calls of models, by provider, model and outcome: whole, interrupted, left, failed',
    labelNames: ['provider', 'model', 'outcome'],
    registers,
  })
  const tokens = new Counter({
    name: 'svc_gateway_tokens_total',
    help: 'Tokens of answered calls, by kind: input, cached (part of input), output; estimates included',
    labelNames: ['provider', 'model', 'kind'],
    registers,
  })
  const cost = new Counter({
    name: 'svc_gateway_cost_usd_total',
    help: 'Cost of answered calls at the provider by the price lists; calls of models without a price add nothing',
    labelNames: ['provider', 'model'],
    registers,
  })
  const firstContent = new Histogram({
    name: 'svc_gateway_time_to_first_token_seconds',
    help: 'Time from a streamed call to the first part of its answer',
    labelNames: ['provider', 'model'],
    buckets: SECONDS,
    registers,
  })
  const duration = new Histogram({
    name: 'svc_gateway_call_duration_seconds',
    help: 'Time from a call to the end of its answer, by provider and outcome',
    labelNames: ['provider', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const leftOut = new Counter({
    name: 'svc_captures_left_out_total',
    help: 'Captures whose content was not stored, by reason: storage_allowance_used, storage_full',
    labelNames: ['reason'],
    registers,
  })
  /** The series of an outcome: looking them up by their labels costs more than counting. */
  const seriesOf = (provider: string, model: string, outcome: Outcome) => ({
    calls: calls.labels({ provider, model, outcome }),
    duration: duration.labels({ provider, outcome }),
    ...(outcome !== 'failed' && {
      input: tokens.labels({ provider, model, kind: 'input' }),
      cached: tokens.labels({ provider, model, kind: 'cached' }),
      output: tokens.labels({ provider, model, kind: 'output' }),
    }),
  })
  const bound = new Map<string, ReturnType<typeof seriesOf>>()
  return {
    callEnded(record) {
      const { outcome, usage, costMicros, firstContentMs } = record
      const provider = record.provider ?? 'none'
      const model = countedModel(record)
      const name = `${provider} ${model} ${outcome}`
      let series = bound.get(name)
      if (series === undefined) {
        series = seriesOf(provider, model, outcome)
        bound.set(name, series)
      }
      series.calls.inc()
      series.duration.observe(record.latencyMs / 1000)
      series.input?.inc(usage.inputTokens)
      series.cached?.inc(usage.cachedTokens)
      series.output?.inc(usage.outputTokens)
      if (record.leftOut) leftOut.inc({ reason: record.leftOut })
      if (outcome === 'failed') return
      if (costMicros !== null) cost.inc({ provider, model }, costMicros / 1e6)
      if (record.isStreamed && firstContentMs !== null) firstContent.observe({ provider, model }, firstContentMs / 1000)
    },
  }
}
