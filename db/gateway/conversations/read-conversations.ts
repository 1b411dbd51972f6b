import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** A conversation in a list. */
export interface ListedConversation {
  readonly id: string
  readonly title: string
  readonly model: string
  readonly messageCount: number
  readonly preview: string
  readonly updatedAt: Date
  readonly clientUpdatedAt: Date
  readonly deletedAt: Date | null
}

/**
 * Lists the tenant's conversations, the last changed first. With `since`, those that changed after it, deleted ones as well;
 * else without these. Throws `invalid_cursor`.
 */
export async function listConversations(
  op: Operation,
  input: PageRequest & { readonly model?: string | undefined; readonly since?: Date | undefined },
): Promise<Page<ListedConversation>> {
  const { rank, id } = placeOf(input.cursor)
  const { since, model, limit } = input
  const rows = await op.read((q) =>
    q
      .selectFrom('conversations')
      .select(['id', 'title', 'model', 'message_count as messageCount', 'preview', 'updated_at as updatedAt'])
      .select(['client_updated_at as clientUpdatedAt', 'deleted_at as deletedAt'])
      .where('tenant_id', '=', op.tenantId)
      .where(sql<boolean>`(updated_at, id) < (${new Date(rank)}, ${id})`)
      .where(since === undefined ? sql<boolean>`deleted_at is null` : sql<boolean>`updated_at > ${since}`)
      .where(model === undefined ? sql<boolean>`true` : sql<boolean>`model = ${model}`)
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1),
  )
  return pageOf(rows, limit, (row) => ({ rank: row.updatedAt.getTime(), id: row.id }))
}

/** Returns a conversation of the tenant with its messages. Throws `not_found`, also for a deleted one. */
export async function findConversation(op: Operation, id: string) {
  const [found] = await op.read((q) =>
    q
      .selectFrom('conversations')
      .select(['id', 'title', 'model', 'device', 'messages', 'message_count as messageCount'])
      .select(['created_at as createdAt', 'updated_at as updatedAt', 'client_updated_at as clientUpdatedAt'])
      .where('tenant_id', '=', op.tenantId)
      .where('id', '=', id)
      .where('deleted_at', 'is', null),
  )
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such conversation')
  return { ...found, messages: found.messages ?? [] }
}
