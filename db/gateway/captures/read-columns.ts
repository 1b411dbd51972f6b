import { sql } from 'kysely'
import type { ReviewStatus } from '../../../core/gateway/captures/review.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Columns of a capture without its content, under the names of `StoredCapture`. */
export const CAPTURE_COLUMNS = [
  'c.id',
  'c.namespace',
  'c.position',
  'c.chain_id as chainId',
  'c.seq',
  'c.at',
  'c.source',
  'c.kind',
  'c.dialect',
  'c.provider',
  'c.model',
  'c.request_model as requestModel',
  'c.outcome',
  'c.http_status as httpStatus',
  'c.error_code as errorCode',
  'c.is_streamed as isStreamed',
  'c.input_tokens as inputTokens',
  'c.cached_tokens as cachedTokens',
  'c.cache_write_tokens as cacheWriteTokens',
  'c.output_tokens as outputTokens',
  'c.reasoning_tokens as reasoningTokens',
  'c.is_estimated as isEstimated',
  'c.cost_micros as costMicros',
  'c.latency_us as latencyUs',
  'c.first_content_us as firstContentUs',
  'c.redaction_classes as redactionClasses',
  sql<string[]>`coalesce(c.sensitive_classes, c.redaction_classes)`.as('sensitiveClasses'),
  'c.retention',
  'c.receipt_id as receiptId',
  'c.conversation_id as conversationId',
  'c.request_id as requestId',
  'c.key_id as keyId',
  'c.member_id as memberId',
  'c.team_id as teamId',
  'c.template',
  'c.risk',
  'c.status',
  'c.reviewed_at as reviewedAt',
  'c.reviewed_by as reviewedBy',
  'c.review_reason as reviewReason',
  'c.forgotten_at as forgottenAt',
  'c.content_left_out as contentLeftOut',
] as const

/** Columns of a capture that only its own page shows. */
export const DETAIL_COLUMNS = [
  'c.attempts',
  'c.route',
  'c.receipt',
  'c.risk_parts as riskParts',
  'c.prev_hash as prevHash',
  'c.chain_hash as chainHash',
  'c.input_hash as inputHash',
  'c.output_hash as outputHash',
  'c.prompt_hash as promptHash',
  'c.response_hash as responseHash',
  'c.answer_hash as answerHash',
] as const

/** Selects captures. Absent members select all. */
export interface CaptureFilter {
  /** Captures of these ids alone. */
  readonly ids?: readonly string[] | undefined
  readonly namespace?: string | undefined
  readonly statuses?: readonly ReviewStatus[] | undefined
  readonly riskMin?: number | undefined
  readonly riskMax?: number | undefined
  /** Captures in which one of these classes was found, replaced or not. */
  readonly pii?: readonly string[] | undefined
  /** From this time on. */
  readonly from?: Date | undefined
  /** Before this time. */
  readonly to?: Date | undefined
  readonly sources?: readonly string[] | undefined
  readonly template?: string | undefined
  readonly conversationId?: string | undefined
  /** A text in the prompt or the response, whatever its case; three characters at least. */
  readonly q?: string | undefined
}

/** A verb's reader of captures. */
export type CaptureReader = Pick<Operation, 'db' | 'tenantId' | 'scopes' | 'read'>
