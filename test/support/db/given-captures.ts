import { beginForget } from '../../../db/gateway/captures/forget/begin-forget.ts'
import { forgetCaptures } from '../../../db/gateway/captures/forget/forget-captures.ts'
import type { NewCapture } from '../../../core/gateway/captures/capture.ts'
import { captureOf, type CallFindings } from '../../../core/gateway/captures/capture-of.ts'
import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import { aCallRecord } from '../providers/given-record.ts'
import { newId, newTimedId } from '../../../core/kernel/ids.ts'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { commitCaptures } from '../../../db/gateway/across/commit-captures.ts'
import { countCalls } from '../../../db/gateway/across/count-calls.ts'
import { indexCaptureTexts, signCaptureChains } from '../../../db/gateway/across/keep-captures.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { captureLearners } from '../../../db/learn/datasets/forget/flag-datasets.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { loadSigningKeys } from '../../../db/ledger/across/signing-keys.ts'
import { recordClusterCompile } from '../../../db/learn/traffic/record-compile.ts'
import { visitTenant } from '../../../db/learn/traffic/visit-tenant.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { sendSql } from './send-sql.ts'

/** The fields of a captured call that a test sets. */
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
    aCallRecord({
      captureId: newTimedId('cap', at),
      receiptId: newId('rcpt'),
      requestId: newId('req'),
      tenantId,
      at,
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
      ...record,
    }),
    { receipt: null, conversationId: null, ...findings },
  )
}

/**
 * A captured call with a file, its search text, its sums, a copyright flag and a signed chain: a row in each table of
 * captures. Returns its id.
 */
export async function givenCaptured(op: Operation, given: GivenCall = {}): Promise<string> {
  const now = op.now()
  const { current: signer } = await loadSigningKeys(op.db)
  const capture = aCapture(op.tenantId, { at: now, ...given })
  const { id, namespace } = capture.facts
  await commitCaptures(op.db, signer, [{ capture, blobSha256: null, bytes: 0 }], now)
  const { signal } = new AbortController()
  await indexCaptureTexts(op.db, signal)
  await signCaptureChains(op.db, { now, signer, signal })
  await countCalls(op.db, signal)
  const blob = await putBlob(op.db, Buffer.from(sha256(id)))
  await sendSql(
    op.db,
    `insert into capture_media (capture_id, place, tenant_id, namespace, kind, mime, blob_sha256, size_bytes)
     values ($1, 0, $2, $3, 'image', 'image/png', $4, $5)`,
    [id, op.tenantId, namespace, blob.sha256, blob.sizeBytes],
  )
  await sendSql(
    op.db,
    `insert into copyright_flags (capture_id, tenant_id, namespace, scanned_at, risk, input_risk, output_risk, hits, hit_count, version)
     values ($1, $2, $3, now(), 0.5, 0.5, 0, '[]', 2, '1')`,
    [id, op.tenantId, namespace],
  )
  return id
}

/** Stores what was learned from the captures of a tenant, and the job as a compile of a cluster: a row in each table of traffic. */
export async function givenObserved(op: Operation, compile: { readonly jobId: string; readonly namespace: string }) {
  await visitTenant({ ...op, scopes: null, bounds: null }, DEFAULT_LIMITS)
  await recordClusterCompile({ ...op, scopes: null, bounds: null }, { ...compile, signature: 'ts1:0123456789abcdef' })
}

/** A forgotten capture with its certificate, and a request to forget a subject. */
export async function givenForgotten(op: Operation, subject: string, given: GivenCall = {}): Promise<void> {
  const { current: signer } = await loadSigningKeys(op.db)
  const all = { ...op, scopes: null }
  await forgetCaptures(all, {
    ids: [await givenCaptured(op, given)],
    reason: 'user_request',
    signer,
    learners: captureLearners,
  })
  const request = {
    kind: 'subject',
    ids: null,
    sought: subject,
    reason: 'user_request',
    namespace: null,
    most: 10,
  } as const
  await beginForget(all, request)
}
