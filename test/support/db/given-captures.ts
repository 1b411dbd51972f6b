import type { NewCapture } from '../../../core/gateway/captures/capture.ts'
import { captureOf, type CallFindings } from '../../../core/gateway/captures/capture-of.ts'
import { usageOf } from '../../../core/gateway/exchange/answer.ts'
import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import type { GateFacts } from '../../../core/gateway/record/gate-facts.ts'
import { newId, newTimedId } from '../../../core/kernel/ids.ts'

/** What the gate makes of a call without sensitive text. */
const GATE: GateFacts = {
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

/** What a test says of a captured call. */
export interface GivenCall extends Partial<CallRecord> {
  readonly question?: string
  readonly reply?: string
  readonly findings?: Partial<CallFindings>
}

/** The capture of a call of a model, as the gateway makes it. */
export function aCapture(tenantId: string, given: GivenCall = {}): NewCapture {
  const { question = 'What is two and two?', reply = 'Four.', findings = {}, ...record } = given
  const at = record.at ?? new Date()
  return captureOf(
    {
      captureId: newTimedId('cap', at),
      receiptId: newId('rcpt'),
      requestId: newId('req'),
      tenantId,
      namespace: 'default',
      keyId: null,
      memberId: null,
      teamId: null,
      dialect: 'chat-completions',
      plain: null,
      requestModel: 'gpt-4o-mini',
      retention: 'kept',
      isStreamed: false,
      at,
      outcome: 'whole',
      status: 200,
      errorCode: null,
      provider: 'openai',
      model: 'gpt-4o-mini',
      attempts: [{ provider: 'openai', model: 'gpt-4o-mini', failure: null, status: 200, ms: 120 }],
      usage: { ...usageOf({ inputTokens: 12, outputTokens: 3 }), isEstimated: false },
      costMicros: 4,
      latencyMs: 121.5,
      firstContentMs: 80.25,
      sent: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: question }] },
      answer: {
        id: 'chatcmpl-1',
        model: 'gpt-4o-mini',
        choices: [{ parts: [{ kind: 'text', text: reply }], finish: 'stop' }],
        usage: null,
      },
      outputHash: 'a'.repeat(64),
      gate: GATE,
      ...record,
    },
    { redactionClasses: null, route: null, receipt: null, conversationId: null, ...findings },
  )
}
