import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import { Forget } from '../../../../core/gateway/workflows.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import { requestStart } from '../../../kernel/outbox/request-start.ts'
import { dropAnswers } from '../../cache/drop-answers.ts'
import { dropReferences } from '../../cache/references/drop-references.ts'
import { enterAsForgetting } from '../../forgotten/known-terms.ts'
import { rememberForgotten } from '../../forgotten/remember-forgotten.ts'
import { requireAllNamespaces, requireNamespace } from '../../../kernel/namespaces/bounds.ts'
import { describeActor, requireScope, type Operation } from '../../../kernel/operation.ts'
import type { ListedForget } from './list-forgotten.ts'

/** The request to forget: named captures, or those with a text. */
export interface ForgetRequest {
  readonly kind: 'ids' | 'subject' | 'pattern'
  readonly ids: readonly string[] | null
  readonly sought: string | null
  readonly reason: string
  /** Null for all namespaces. */
  readonly namespace: string | null
  /** Requests that one tenant may have under way. */
  readonly most: number
}

/**
 * Begins to forget many captures: a workflow does it. A subject or a pattern enters the forget list of the tenant at once,
 * so that no call sends or stores it any more. Throws `insufficient_scope`, and `limit_reached` for one request too
 * many under way.
 */
export async function beginForget(op: Operation, request: ForgetRequest): Promise<ListedForget> {
  requireScope(op, 'privacy:write')
  const { kind, namespace, ids, sought, reason, most } = request
  // The forget list is that of the whole tenant.
  if (namespace === null || sought !== null) requireAllNamespaces(op)
  else requireNamespace(op, namespace)
  const id = newId('frq')
  return await op.write(async (tx) => {
    await enterAsForgetting(tx, op.tenantId)
    const open = await tx.q
      .selectFrom('capture_forgets')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'running')
      .executeTakeFirst()
    if ((open?.count ?? 0) >= most)
      throw ACCOUNTS_ERRORS.limit_reached(`${most} requests to forget are under way`, { details: { max: most } })
    const createdAt = op.now()
    await tx.q
      .insertInto('capture_forgets')
      .values({
        id,
        tenant_id: op.tenantId,
        kind,
        namespace,
        ids: ids === null ? null : sql`${[...ids]}::text[]`,
        sought,
        sought_hash: hash('sha256', sought ?? (ids ?? []).join(), 'buffer'),
        reason,
        requested_by: describeActor(op.actor),
        state: 'running',
        reached: '',
        forgotten: 0,
        conversations: 0,
        created_at: createdAt,
      })
      .execute()
    if (sought !== null && kind !== 'ids') {
      await rememberForgotten(tx, op, { kind, text: sought })
      await dropAnswers(tx, op.tenantId)
      await dropReferences(tx, op.tenantId)
    }
    await requestStart(tx, Forget, { forgetId: id, tenantId: op.tenantId })
    return {
      id,
      kind,
      namespace,
      state: 'running' as const,
      forgotten: 0,
      conversations: 0,
      reason,
      createdAt,
      finishedAt: null,
    }
  })
}
