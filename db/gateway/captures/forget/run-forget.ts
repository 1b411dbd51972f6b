import { compileForgetList, longestWord, subjectOf } from '../../../../core/gateway/gate/privacy/forget-list.ts'
import type { TermFinder } from '../../../../core/gateway/gate/privacy/scan/scan-text.ts'
import type { CaptureLearners } from '../../../../core/gateway/ports.ts'
import type { SigningKey } from '../../../../core/ledger/keys/signing-key.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { serviceKey } from '../../../kernel/secrets/service-secrets.ts'
import { forgetConversations } from '../../conversations/erase-conversations.ts'
import { findAfter, type Found } from './find-captures.ts'
import { forgetCaptures } from './forget-captures.ts'

/** Captures that are looked at, or forgotten, in one transaction. */
const BATCH = 500

/** A request to carry out. */
export interface ForgetRun {
  readonly forgetId: string
  readonly signer: SigningKey
  readonly learners: CaptureLearners<Transaction>
  readonly signal: AbortSignal
  /** Called after each batch. */
  readonly onBatch: () => void
}

/**
 * Carries a request to forget out, from where it stopped, and returns how many captures it has forgotten. A subject or a
 * pattern is forgotten in stored conversations as well. What was sought is
 * erased at the end. A request that is done, or unknown, changes nothing.
 */
export async function runForget(op: Operation, run: ForgetRun): Promise<number> {
  const [request] = await op.read((q) =>
    q
      .selectFrom('capture_forgets')
      .select(['kind', 'namespace', 'ids', 'sought', 'reason', 'requested_by as requestedBy'])
      .select(['state', 'reached', 'forgotten', 'conversations'])
      .where('tenant_id', '=', op.tenantId)
      .where('id', '=', run.forgetId),
  )
  if (request === undefined || request.state === 'done') return request?.forgotten ?? 0
  const { reason, requestedBy, namespace, sought, kind } = request
  const finder = sought === null || kind === 'ids' ? null : await finderOf(op, kind, sought)
  let { reached, forgotten } = request
  for (;;) {
    run.signal.throwIfAborted()
    const batch =
      finder === null
        ? namedAfter(request.ids ?? [], reached)
        : await findAfter(op, {
            reached,
            most: BATCH,
            finder,
            word: kind === 'subject' ? longestWord(sought ?? '') : null,
          })
    if (batch.last === null) break
    const order = { reason, requestedBy, signer: run.signer, learners: run.learners, forgetId: run.forgetId }
    const done =
      batch.ids.length === 0
        ? { updated: [] }
        : await forgetCaptures(op, { ...order, ids: batch.ids, ...(namespace !== null && { namespace }) })
    reached = batch.last
    forgotten += done.updated.length
    await note(op, run.forgetId, { reached, forgotten })
    run.onBatch()
  }
  // Behind the captures: an attempt that was cut off looks at all of them again.
  if (finder !== null) {
    let { conversations } = request
    await forgetConversations(op, finder, async (count) => {
      conversations += count
      if (count > 0) await note(op, run.forgetId, { conversations })
      run.onBatch()
    })
  }
  await note(op, run.forgetId, { state: 'done', sought: null, ids: null, finished_at: op.now() })
  return forgotten
}

function namedAfter(ids: readonly string[], reached: string): Found {
  const some = [...new Set(ids)]
    .toSorted()
    .filter((id) => id > reached)
    .slice(0, BATCH)
  return { ids: some, last: some.at(-1) ?? null }
}

async function finderOf(op: Operation, kind: 'subject' | 'pattern', sought: string): Promise<TermFinder> {
  const key = await serviceKey(op.db, 'fingerprint', op.db)
  const list =
    kind === 'subject' ? { subjects: [subjectOf(key, sought)], patterns: [] } : { subjects: [], patterns: [sought] }
  return compileForgetList(list, key) ?? { find: () => undefined }
}

async function note(
  op: Operation,
  forgetId: string,
  set: {
    readonly reached?: string
    readonly forgotten?: number
    readonly conversations?: number
    readonly state?: 'done'
    readonly sought?: null
    readonly ids?: null
    readonly finished_at?: Date
  },
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('capture_forgets')
      .set(set)
      .where('id', '=', forgetId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
  })
}
