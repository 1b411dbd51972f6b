import type { JsonObject } from '../../../kernel/json/json.ts'
import type { ReviewStatus } from '../review.ts'

/** A capture as an export states it (reference F20). */
export interface ExportedCapture {
  readonly id: string
  readonly namespace: string
  readonly at: Date
  readonly provider: string | null
  readonly model: string | null
  readonly status: ReviewStatus
  readonly risk: number | null
  readonly redactionClasses: readonly string[]
  readonly prompt: string
  readonly response: string
  readonly fixedOutput: string | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly latencyUs: number | null
  readonly costMicros: number | null
  readonly receiptId: string | null
  readonly chainHash: string
}

/** A line of an export. `completion` is the reviewer's output where there is one. */
export function exportRow(capture: ExportedCapture): JsonObject {
  return {
    capture_id: capture.id,
    namespace: capture.namespace,
    created_at: capture.at.toISOString(),
    provider: capture.provider,
    model: capture.model,
    status: capture.status,
    risk_score: capture.risk,
    pii: capture.redactionClasses,
    prompt: capture.prompt,
    completion: capture.fixedOutput ?? capture.response,
    is_fixed: capture.fixedOutput !== null,
    usage: { input_tokens: capture.inputTokens, output_tokens: capture.outputTokens },
    latency_us: capture.latencyUs,
    cost_usd: capture.costMicros === null ? null : capture.costMicros / 1_000_000,
    receipt_id: capture.receiptId,
    chain_hash: capture.chainHash,
  }
}
