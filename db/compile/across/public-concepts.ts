import { sql, type SqlBool } from 'kysely'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { SUMMARY, type ConceptSummary } from '../concepts/list-concepts.ts'

/** A concept that its tenant has made public, with the head's artifact. */
export interface PublicConcept extends ConceptSummary {
  readonly cid: string | null
  readonly kScore: number | null
  /** True for a head that was accepted below its floor; null without a head. */
  readonly isBelowFloor: boolean | null
  /** The K-score of the head with its axes, as the artifact stores it. */
  readonly envelope: Json
}

/** Lists the public concepts of all tenants, most recently changed first. Throws `invalid_cursor`. */
export async function listPublicConcepts(db: Database, input: PageRequest): Promise<Page<PublicConcept>> {
  const after = placeOf(input.cursor)
  const rows = await service.read(db, 'the registry lists the public concepts of all tenants', (q) =>
    q
      .selectFrom(
        q
          .selectFrom('concepts')
          .select(SUMMARY)
          .where('visibility', '=', 'public')
          .where('deleted_at', 'is', null)
          .where(sql<SqlBool>`(updated_at, id) < (${new Date(after.rank)}, ${after.id})`)
          .orderBy('updated_at', 'desc')
          .orderBy('id', 'desc')
          .limit(input.limit + 1)
          .as('c'),
      )
      .leftJoin('artifacts as a', (join) =>
        join.onRef('a.version_id', '=', 'c.headVersionId').on('a.revoked_at', 'is', null),
      )
      .selectAll('c')
      .select([
        'a.cid',
        'a.k_score as kScore',
        sql<Json>`a.evaluation -> 'k_score_envelope'`.as('envelope'),
        sql<boolean | null>`a.manifest -> 'accepted' is not null and a.id is not null`.as('isBelowFloor'),
      ])
      .orderBy('c.updatedAt', 'desc')
      .orderBy('c.id', 'desc'),
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.updatedAt.getTime(), id: row.id }))
}
