import type { Database } from '../../kernel/database.ts'
import { boundsOf, conceptInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** What a list of concepts shows of each. */
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

const COLUMNS = `id, name, description, tags, visibility, version_count as versions,
  head_version_id as "headVersionId", created_at as "createdAt", updated_at as "updatedAt"`

/** The tenant's concepts, the latest changed first; with a tag, only those that carry it. Throws `invalid_cursor`. */
export async function listConcepts(
  op: Operation,
  input: PageRequest & { readonly tag?: string | undefined },
): Promise<Page<ConceptSummary>> {
  const after = placeOf(input.cursor)
  const rows = await op.db.query<ConceptSummary>(
    `select ${COLUMNS} from concepts
     where tenant_id = $1 and deleted_at is null and (updated_at, id) < ($2, $3)
       and ($5::text is null or tags::jsonb ? $5)
       and ${conceptInBounds('concepts.id', 6)}
     order by updated_at desc, id desc limit $4`,
    [op.tenantId, new Date(after.rank), after.id, input.limit + 1, input.tag ?? null, boundsOf(op)],
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.updatedAt.getTime(), id: row.id }))
}

/** A concept that its tenant shows to everybody, with the head's artifact. */
export interface PublicConcept extends ConceptSummary {
  readonly cid: string | null
  readonly kScore: number | null
}

/** The public concepts of all tenants, the latest changed first. Throws `invalid_cursor`. */
export async function listPublicConcepts(db: Database, input: PageRequest): Promise<Page<PublicConcept>> {
  const after = placeOf(input.cursor)
  const rows = await db.query<PublicConcept>(
    `select c.*, a.cid, a.k_score as "kScore"
     from (
       select ${COLUMNS} from concepts
       where visibility = 'public' and deleted_at is null and (updated_at, id) < ($1, $2)
       order by updated_at desc, id desc limit $3
     ) c left join artifacts a on a.version_id = c."headVersionId" and a.revoked_at is null
     order by c."updatedAt" desc, c.id desc`,
    [new Date(after.rank), after.id, input.limit + 1],
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.updatedAt.getTime(), id: row.id }))
}
