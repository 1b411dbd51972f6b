import { sql } from 'kysely'
import type { ArtifactState } from '../../../core/compile/artifacts/life/states.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Artifacts with one CID that are returned. */
const MOST_OF_ONE = 20

/** The artifact of a CID. */
export interface ArtifactOfCid {
  readonly cid: string
  readonly id: string
  readonly conceptId: string
  readonly versionId: string
  readonly name: string
  readonly state: ArtifactState
  readonly kScore: number
  readonly signedAt: Date
}

/** Returns the tenant's artifacts with these CIDs, newest first, at most `MOST_OF_ONE` of each. */
export async function findByCids(op: Operation, cids: readonly string[]): Promise<readonly ArtifactOfCid[]> {
  return await op.read((q) =>
    q
      .selectFrom(sql<{ cid: string }>`unnest(${[...cids]}::text[])`.as<'g'>(sql`g(cid)`))
      .innerJoinLateral(
        (on) =>
          on
            .selectFrom('artifacts')
            .select([
              'id',
              'concept_id as conceptId',
              'version_id as versionId',
              'name',
              'state',
              'k_score as kScore',
              'signed_at as signedAt',
              'created_at as createdAt',
            ])
            .where('tenant_id', '=', op.tenantId)
            .whereRef('artifacts.cid', '=', 'g.cid')
            .orderBy('created_at', 'desc')
            .limit(MOST_OF_ONE)
            .as('a'),
        (join) => join.onTrue(),
      )
      .select(['g.cid', 'a.id', 'a.conceptId', 'a.versionId', 'a.name', 'a.state', 'a.kScore', 'a.signedAt'])
      .orderBy('a.createdAt', 'desc'),
  )
}
