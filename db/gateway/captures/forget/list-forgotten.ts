import { sql } from 'kysely'
import { boundsOf } from '../../../kernel/namespaces/bounds.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../../kernel/tables/page.ts'
import type { CaptureReader } from '../read-columns.ts'
import type { CertifiedCapture } from './certificates.ts'

/** Lists forgotten captures, newest first. Throws `invalid_cursor`. */
export async function listForgotten(
  op: CaptureReader,
  { namespace, ...page }: PageRequest & { readonly namespace?: string | undefined },
): Promise<Page<CertifiedCapture>> {
  const { rank, id } = placeOf(page.cursor)
  const rows = await op.read((q) =>
    q
      .selectFrom('capture_certificates')
      .select(['id', 'capture_id as captureId', 'namespace', 'reason', 'requested_by as requestedBy'])
      .select(['forgotten_at as forgottenAt', 'certificate'])
      .where('tenant_id', '=', op.tenantId)
      .where(namespace === undefined ? sql<boolean>`true` : sql<boolean>`namespace = ${namespace}`)
      .where(sql<boolean>`(forgotten_at, id) < (${new Date(rank)}, ${id})`)
      .orderBy('forgotten_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit + 1),
  )
  return pageOf(rows, page.limit, (row) => ({ rank: row.forgottenAt.getTime(), id: row.id }))
}

/** Requests that a list shows. */
const SHOWN = 20

/** Work that forgets many captures. */
export type ListedForget = Awaited<ReturnType<typeof listForgets>>[number]

/** Lists the newest requests to forget many captures; a key bound to namespaces sees those for its own. */
export async function listForgets(op: CaptureReader) {
  const bounds = boundsOf(op)
  return await op.read((q) =>
    q
      .selectFrom('capture_forgets')
      .select(['id', 'kind', 'namespace', 'state', 'forgotten', 'conversations', 'reason'])
      .select(['created_at as createdAt', 'finished_at as finishedAt'])
      .where('tenant_id', '=', op.tenantId)
      .where(bounds === null ? sql<boolean>`true` : sql<boolean>`namespace = any(${[...bounds]}::text[])`)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(SHOWN),
  )
}
