import type { z } from 'zod'
import { handleOf } from '../../../core/gateway/captures/recording/media.ts'
import { toSha256 } from '../../kernel/reply/digest.ts'
import type { CaptureDetail, CaptureItem, VerifyCapturesAnswer } from '../../../core/gateway/wire/captures/captures.ts'
import type { WholeCapture } from '../../../db/gateway/captures/get-capture.ts'
import type { ListedCapture } from '../../../db/gateway/captures/list-captures.ts'
import type { CapturesVerified } from '../../../db/gateway/captures/verify-captures.ts'

type Shared = Omit<z.infer<typeof CaptureItem>, 'prompt_preview' | 'response_preview' | 'is_fixed' | 'confidence'>

/** A capture as lists show it. */
export function presentCapture(capture: ListedCapture): z.infer<typeof CaptureItem> {
  return {
    ...shared(capture),
    confidence: null,
    prompt_preview: capture.promptPreview,
    response_preview: capture.responsePreview,
    is_fixed: capture.isFixed,
  }
}

/** A capture as its own page shows it. */
export function presentWholeCapture(capture: WholeCapture): z.infer<typeof CaptureDetail> {
  const { content } = capture
  const confidence = capture.route?.['confidence']
  return {
    ...shared(capture),
    confidence: typeof confidence === 'number' ? confidence : null,
    is_fixed: capture.fixedOutput !== null,
    request_model: capture.requestModel,
    prompt: content?.prompt ?? null,
    response: content?.response ?? null,
    fixed_output: capture.fixedOutput,
    body: content?.body ?? null,
    answer: content?.answer ?? null,
    attempts: capture.attempts.map((attempt) => ({ ...attempt })),
    route: capture.route,
    risk_parts: capture.riskParts === null ? null : { ...capture.riskParts },
    retention: capture.retention,
    conversation_id: capture.conversationId,
    template_hash: capture.template,
    input_hash: `sha256:${capture.inputHash}`,
    output_hash: `sha256:${capture.outputHash}`,
    receipt: capture.receipt,
    seq: capture.seq,
    chain_prev_hash: capture.prevHash,
    chain_hash: capture.chainHash,
    reviewed_at: capture.reviewedAt?.toISOString() ?? null,
    reviewed_by: capture.reviewedBy,
    review_reason: capture.reviewReason,
    media: capture.media.map(({ kind, mime, filename, sha256, sizeBytes }) => ({
      uri: handleOf({ sha256: toSha256(sha256) }),
      kind,
      mime,
      filename,
      bytes: sizeBytes,
    })),
    forgotten_at: capture.forgottenAt?.toISOString() ?? null,
  }
}

/** The result of a check as its route answers it. */
export function presentVerified(namespace: string, verified: CapturesVerified): z.infer<typeof VerifyCapturesAnswer> {
  const { ok, chainLength, cutThrough, checkpoints, head, brokenAt, reason } = verified
  return {
    ok,
    verified: ok,
    namespace,
    chain_length: chainLength,
    cut_through: cutThrough,
    checkpoints,
    head,
    ...(brokenAt !== undefined && { broken_at: brokenAt }),
    ...(reason !== undefined && { reason }),
  }
}

function shared(capture: Omit<ListedCapture, 'promptPreview' | 'responsePreview' | 'isFixed'>): Shared {
  return {
    id: capture.id,
    timestamp: capture.at.toISOString(),
    namespace: capture.namespace,
    source: capture.source,
    kind: capture.kind,
    provider: capture.provider,
    model: capture.model,
    status: capture.status,
    outcome: capture.outcome,
    http_status: capture.httpStatus,
    error_code: capture.errorCode,
    risk_score: capture.risk,
    redaction_applied: [...capture.redactionClasses],
    sensitive_classes: [...capture.sensitiveClasses],
    latency_ms: capture.latencyUs === null ? null : capture.latencyUs / 1000,
    first_content_ms: capture.firstContentUs === null ? null : capture.firstContentUs / 1000,
    tokens: {
      input: capture.inputTokens,
      cached: capture.cachedTokens,
      cache_write: capture.cacheWriteTokens,
      output: capture.outputTokens,
      reasoning: capture.reasoningTokens,
      is_estimated: capture.isEstimated,
    },
    cost_usd: capture.costMicros === null ? null : capture.costMicros / 1_000_000,
    receipt_id: capture.receiptId,
    content_left_out: capture.contentLeftOut,
  }
}
