import type { Operation } from '../../../kernel/operation.ts'
import { service } from '../../../kernel/queries/service.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../../kernel/tables/page.ts'
import type { ContactRequest } from '../../contacts/contact-request.ts'

const WHY = 'contacts are people without a tenant'

/** Lists contact requests, newest first. Throws `invalid_cursor`. */
export async function listContacts(
  op: Operation,
  input: PageRequest & { readonly kind: ContactRequest['kind'] },
): Promise<Page<ContactRequest>> {
  const after = placeOf(input.cursor)
  const at = new Date(after.rank)
  const rows = await service.read(op.db, WHY, (q) =>
    q
      .selectFrom('contact_requests')
      .select(['id', 'kind', 'email', 'name', 'note', 'created_at as createdAt'])
      .where('kind', '=', input.kind)
      .where('created_at', '<=', at)
      .where((of) => of.or([of('created_at', '<', at), of('id', '<', after.id)]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, placeByCreation)
}

/** Counts the contact requests. */
export async function countContacts(op: Operation, kind: ContactRequest['kind']): Promise<number> {
  const [row] = await service.read(op.db, WHY, (q) =>
    q.selectFrom('contact_requests').select(q.fn.countAll<number>().as('total')).where('kind', '=', kind),
  )
  return row?.total ?? 0
}
