import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { ContactRequestEntity, type ContactRequest } from './contact-request.ts'

/** What was left, newest first. Throws `invalid_cursor`. */
export async function listContacts(
  op: Operation,
  input: PageRequest & { readonly kind: ContactRequest['kind'] },
): Promise<Page<ContactRequest>> {
  const after = placeOf(input.cursor)
  const at = new Date(after.rank)
  const rows = await op.db
    .fork()
    .find(
      ContactRequestEntity,
      { kind: input.kind, createdAt: { $lte: at }, $or: [{ createdAt: { $lt: at } }, { id: { $lt: after.id } }] },
      { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], limit: input.limit + 1, filters: false },
    )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}

/** How many there are in all. */
export async function countContacts(op: Operation, kind: ContactRequest['kind']): Promise<number> {
  return await op.db.fork().count(ContactRequestEntity, { kind }, { filters: false })
}
