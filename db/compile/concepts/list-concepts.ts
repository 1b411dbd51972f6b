import { sql, type SqlBool } from 'kysely'
import { conceptWithin } from './concept-bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** An entry of a list of concepts. */
export interface ConceptSummary {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly visibility: 'tenant' | 'team' | 'public'
  readonly versions: number
  readonly headVersionId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The columns of a summary. */
export const SUMMARY = [
  'id',
  'name',
  'description',
  'tags',
  'visibility',
  'version_count as versions',
  'head_version_id as headVersionId',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/**
 * Lists the tenant's concepts, most recently changed first; with a tag, only those that carry it. Throws
 * `invalid_cursor`.
 */
export async function listConcepts(
  op: Operation,
  input: PageRequest & { readonly tag?: string | undefined },
): Promise<Page<ConceptSummary>> {
  const after = placeOf(input.cursor)
  const { tag } = input
  const rows = await op.read((q) =>
    q
      .selectFrom('concepts')
      .select(SUMMARY)
      .where('tenant_id', '=', op.tenantId)
      .where('deleted_at', 'is', null)
      .where(sql<SqlBool>`(updated_at, id) < (${new Date(after.rank)}, ${after.id})`)
      .$if(tag !== undefined, (all) => all.where(sql<SqlBool>`tags::jsonb ? ${tag}`))
      .where(conceptWithin(op))
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.updatedAt.getTime(), id: row.id }))
}
