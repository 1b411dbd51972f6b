import { sql } from 'kysely'
import { patternProblem } from '../../../core/gateway/gate/guardrails/patterns.ts'
import { digestOf, subjectOf } from '../../../core/gateway/gate/privacy/forget-list.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { enterAsForgetting } from './known-terms.ts'

/** The request to forget from now on: a subject by its words, or a pattern. */
export interface ForgottenInput {
  readonly kind: 'subject' | 'pattern'
  readonly text: string
}

/**
 * Puts a subject or a pattern on the tenant's forget list, once; every process enforces it from its next call on. The
 * words of a subject are not kept. Part of the transaction that forgets. Throws `validation_failed` for a text without
 * words and for a pattern that is none.
 */
export async function rememberForgotten(tx: Transaction, op: Operation, { kind, text }: ForgottenInput): Promise<void> {
  const key = await serviceKey(op.db, 'fingerprint', tx)
  await enterAsForgetting(tx, op.tenantId)
  // Captures are stored under this lock: one of before is seen by the search for the term, one of after sees the term.
  await tx.q
    .insertInto('capture_heads')
    .values({ tenant_id: op.tenantId, position: 0, indexed: 0 })
    .onConflict((on) => on.column('tenant_id').doUpdateSet({ position: sql<number>`capture_heads.position` }))
    .execute()
  const row = kind === 'subject' ? subjectRow() : patternRow()
  await tx.q
    .insertInto('forgotten_terms')
    .values({ id: newId('fgt'), tenant_id: op.tenantId, kind, created_at: op.now(), ...row })
    .onConflict((on) => on.columns(['tenant_id', 'digest']).doNothing())
    .execute()
  await tx.q.selectNoFrom(notify('svc_namespaces', op.tenantId).as('notified')).execute()

  function subjectRow() {
    try {
      const { words, bucket, digest } = subjectOf(key, text)
      return { pattern: null, words, bucket, digest: Buffer.from(digest, 'hex') }
    } catch (error) {
      if (error instanceof RangeError) throw invalidField('subject', error.message)
      throw error
    }
  }
  function patternRow() {
    const problem = patternProblem(text)
    if (problem !== null) throw invalidField('pattern', problem)
    return { pattern: text, words: null, bucket: null, digest: Buffer.from(digestOf(key, text), 'hex') }
  }
}
