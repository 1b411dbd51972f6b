import { hash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { CaptureFacts } from './capture.ts'

/** Hash before the first row of a chain. */
export const GENESIS_HASH: Uint8Array = Buffer.alloc(32)

/** The end of a chain. */
export interface CaptureHead {
  readonly count: number
  readonly hash: Uint8Array
}

/** The fields that a row's digest covers: the facts of the capture and its place, under their names in exports. */
export function digestFields(facts: CaptureFacts, seq: number): JsonObject {
  const { usage } = facts
  return {
    spec: 'svc-capture-1',
    seq,
    id: facts.id,
    namespace: facts.namespace,
    at: facts.at.toISOString(),
    source: facts.source,
    kind: facts.kind,
    dialect: facts.dialect,
    provider: facts.provider,
    model: facts.model,
    request_model: facts.requestModel,
    outcome: facts.outcome,
    http_status: facts.httpStatus,
    error_code: facts.errorCode,
    is_streamed: facts.isStreamed,
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    is_estimated: usage.isEstimated,
    cost_micros: facts.costMicros,
    latency_us: facts.latencyUs,
    first_content_us: facts.firstContentUs,
    attempts: facts.attempts.map((attempt) => ({ ...attempt })),
    route: facts.route,
    redaction_classes: facts.redactionClasses,
    retention: facts.retention,
    input_hash: facts.inputHash,
    output_hash: facts.outputHash,
    prompt_hash: facts.promptHash,
    response_hash: facts.responseHash,
    answer_hash: facts.answerHash,
    receipt_id: facts.receiptId,
    receipt_hash: facts.receiptHash,
    conversation_id: facts.conversationId,
    request_id: facts.requestId,
    key_id: facts.keyId,
    member_id: facts.memberId,
    team_id: facts.teamId,
    // Rows without it are hashed as they were before there was one.
    ...(facts.contentLeftOut && { content_left_out: facts.contentLeftOut }),
  }
}

/** SHA-256 over the RFC 8785 form of a row's fields. */
export function rowDigest(facts: CaptureFacts, seq: number): Uint8Array {
  return hash('sha256', canonicalJson(digestFields(facts, seq)), 'buffer')
}

/** The hash of a row: SHA-256 over the hash before it and its digest. */
export function chainHash(previous: Uint8Array, digest: Uint8Array): Uint8Array {
  return hash('sha256', Buffer.concat([previous, digest]), 'buffer')
}

/** Chains a row to the end of a chain. */
export function appendCapture(head: CaptureHead, facts: CaptureFacts): CaptureHead {
  const count = head.count + 1
  return { count, hash: chainHash(head.hash, rowDigest(facts, count)) }
}

/** SHA-256 of a text, hexadecimal. */
export function textHash(text: string): string {
  return hash('sha256', text)
}

/**
 * SHA-256 of the RFC 8785 form of a value, hexadecimal. A half of a surrogate pair, which that form does not have, counts as
 * U+FFFD.
 */
export function jsonHash(value: Json): string {
  try {
    return textHash(canonicalJson(value))
  } catch {
    return textHash(canonicalJson(wellFormed(value)))
  }
}

function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => wellFormed(each))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.toWellFormed(), wellFormed(each as Json)]),
  )
}
