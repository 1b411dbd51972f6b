import { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Logger } from '../../../config/logger.ts'
import type { TelemetrySettings } from '../../../config/environment/telemetry.ts'
import { describeCall } from '../../../core/gateway/record/conventions.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import type { CallWatch } from './call-watch.ts'

/** Boundaries that the conventions name for the two metrics. */
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_none, i) => 4 ** i)
const SECOND_BOUNDS = Array.from({ length: 14 }, (_none, i) => 0.01 * 2 ** i)
const SCOPE = 'svc.gateway'

/** An exporter of telemetry. */
export interface OpenedTelemetry extends CallWatch {
  /** Exports what is left, and ends. */
  close(): Promise<void>
}

/**
 * Opens the export of spans and metrics of calls to a collector over OTLP. Both are batched, and dropped where the collector
 * does not take them, which the log states.
 */
export function openTelemetry(
  { endpoint, headers, serviceName }: TelemetrySettings,
  log: Pick<Logger, 'warn'>,
): OpenedTelemetry {
  const warn = (message: string): void => log.warn({ detail: message.slice(0, 500) }, 'telemetry is not exported')
  const ignore = (): void => undefined
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const resource = resourceFromAttributes({ 'service.name': serviceName, 'service.version': RUNTIME_VERSION })
  const spans = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers }))],
  })
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics`, headers }),
  })
  const metrics = new MeterProvider({ resource, readers: [reader] })
  const tracer = spans.getTracer(SCOPE, RUNTIME_VERSION)
  const meter = metrics.getMeter(SCOPE, RUNTIME_VERSION)
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of a call, by type',
    advice: { explicitBucketBoundaries: TOKEN_BOUNDS },
  })
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'Time from a call to the end of its answer',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  })
  return {
    callEnded(record, traceParent) {
      const call = describeCall(record)
      const startMs = record.at.getTime()
      const options = { kind: SpanKind.CLIENT, startTime: startMs, attributes: mutable(call.span) }
      const span = tracer.startSpan(call.name, options, contextOf(traceParent))
      if (call.errorType !== null) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(startMs + record.latencyMs)
      duration.record(record.latencyMs / 1000, mutable(call.metrics))
      if (record.outcome === 'failed') return
      tokens.record(record.usage.inputTokens, mutable({ ...call.metrics, 'gen_ai.token.type': 'input' }))
      tokens.record(record.usage.outputTokens, mutable({ ...call.metrics, 'gen_ai.token.type': 'output' }))
    },
    async close() {
      await Promise.allSettled([spans.shutdown(), metrics.shutdown()])
    },
  }
}

/** The caller's span, of which ours is a child; the root for a header that is none. */
function contextOf(traceParent: string | undefined): Context {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceParent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

function mutable(attributes: ReturnType<typeof describeCall>['span']) {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  )
}
