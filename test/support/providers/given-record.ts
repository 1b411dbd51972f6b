import type { CallRecord } from '../../../core/gateway/record/call-record.ts'

/** A gate that found nothing. */
const GATE: CallRecord['gate'] = {
  policy: 'redact',
  classes: [],
  redacted: [],
  isReviewRequired: false,
  isRaw: false,
  guardrail: {
    warnings: [],
    rewrites: [],
    injection: { isScreened: false, isAdversarial: false, categories: [], score: 0, detector: 'none' },
  },
}

/** The record of a call that one provider answered. */
export function aCallRecord(changes: Partial<CallRecord> = {}): CallRecord {
  return {
    captureId: `cap_${'0'.repeat(26)}`,
    receiptId: `rcpt_${'0'.repeat(26)}`,
    requestId: `req_${'0'.repeat(26)}`,
    tenantId: `ten_${'0'.repeat(26)}`,
    namespace: 'default',
    keyId: null,
    memberId: null,
    teamId: null,
    dialect: 'chat-completions',
    plain: null,
    requestModel: 'gpt-4o-mini',
    retention: 'kept',
    isStreamed: false,
    at: new Date('2026-11-23T12:00:00Z'),
    outcome: 'whole',
    status: 200,
    errorCode: null,
    provider: 'openai',
    model: 'gpt-4o-mini',
    attempts: [{ provider: 'openai', model: 'gpt-4o-mini', failure: null, status: 200, ms: 12 }],
    usage: {
      inputTokens: 10,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 3,
      reasoningTokens: 0,
      isEstimated: false,
    },
    costMicros: 3,
    frontierCostMicros: 3,
    route: routeFacts(),
    gate: GATE,
    answerClasses: [],
    latencyMs: 12,
    firstContentMs: 10,
    sent: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'The capital of France?' }] },
    answer: null,
    spoken: null,
    outputHash: '0'.repeat(64),
    ...changes,
  }
}

/** The facts of a call that its first target answered. */
export function routeFacts(changes: Partial<CallRecord['route']> = {}): CallRecord['route'] {
  return { decision: 'frontier', fallbackReason: null, confidence: null, artifactId: null, cache: 'off', ...changes }
}
