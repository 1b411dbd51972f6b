import { listedName } from '../providers/prices.ts'
import type { CallRecord } from './call-record.ts'

/** Values of attributes. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** Providers whose name in the conventions is not their id. */
const CONVENTION_NAMES: Readonly<Record<string, string>> = { google: 'gcp.gemini' }

/** Model of a call whose name is in no price list: names are bounded, and those of a tenant's own models stay its own. */
export const OTHER_MODEL = 'other'

/** Returns the name under which a call's model is counted. */
export function countedModel({ model }: Pick<CallRecord, 'model'>): string {
  return (model === null ? null : listedName(model)) ?? OTHER_MODEL
}

/** A call in the semantic conventions of OpenTelemetry for generative AI, version 1.37. */
export interface ConventionalCall {
  /** Name of the span. */
  readonly name: string
  /** Attributes of the span: ids and counts, no content. */
  readonly span: Attributes
  /** Attributes of the metrics, of which each has few values. */
  readonly metrics: Attributes
  /** Our code of the failure; null for a whole answer and for one that its caller left. */
  readonly errorType: string | null
}

/** Describes a finished call. */
export function describeCall(record: CallRecord): ConventionalCall {
  const { plain, provider, usage, answer, outcome, errorCode, costMicros, firstContentMs } = record
  const operation = plain ?? (record.dialect === 'generate-content' ? 'generate_content' : 'chat')
  const errorType = outcome === 'whole' || outcome === 'left' ? null : (errorCode ?? outcome)
  const shared = {
    'gen_ai.operation.name': operation,
    ...(provider !== null && { 'gen_ai.provider.name': CONVENTION_NAMES[provider] ?? provider }),
    ...(errorType !== null && { 'error.type': errorType }),
  }
  return {
    name: `${operation} ${record.requestModel}`,
    errorType,
    metrics: { ...shared, 'gen_ai.request.model': countedModel(record) },
    span: {
      ...shared,
      'gen_ai.request.model': record.requestModel,
      ...(answer !== null && answer.model !== '' && { 'gen_ai.response.model': answer.model }),
      ...(answer !== null && answer.id !== '' && { 'gen_ai.response.id': answer.id }),
      ...(answer !== null && { 'gen_ai.response.finish_reasons': answer.choices.map(({ finish }) => finish) }),
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
      'svc.tokens_estimated': usage.isEstimated,
      ...(costMicros !== null && { 'svc.cost_usd': costMicros / 1e6 }),
      ...(firstContentMs !== null && { 'svc.first_content_ms': firstContentMs }),
      'svc.outcome': outcome,
      'svc.attempts': record.attempts.length,
      'svc.streamed': record.isStreamed,
      'svc.model': record.model ?? '',
      'svc.namespace': record.namespace,
      'svc.tenant_id': record.tenantId,
      'svc.request_id': record.requestId,
      'svc.capture_id': record.captureId,
      'svc.receipt_id': record.receiptId,
    },
  }
}
