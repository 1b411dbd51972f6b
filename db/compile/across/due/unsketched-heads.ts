import { OUT_OF_FORCE } from '../../../../core/compile/artifacts/life/states.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { sql } from 'kysely'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

/** The head of a concept without a sketch. */
export interface UnsketchedHead {
  readonly artifactId: string
  readonly tenantId: string
  readonly conceptId: string
  readonly archiveSha256: Sha256
}

/** Returns heads of concepts in force that have no sketch: of versions from before sketches, or with erased examples. */
export async function unsketchedHeads(db: Database, limit: number): Promise<readonly UnsketchedHead[]> {
  return await service.read(db, 'sketches are made for the versions of all tenants', (q) =>
    q
      .selectFrom('concepts as c')
      .innerJoin('artifacts as a', 'a.version_id', 'c.head_version_id')
      .leftJoin('version_sketches as s', 's.artifact_id', 'a.id')
      .select([
        'a.id as artifactId',
        'a.tenant_id as tenantId',
        'c.id as conceptId',
        sql<Sha256>`a.archive_sha256`.as('archiveSha256'),
      ])
      .where('c.deleted_at', 'is', null)
      .where('s.artifact_id', 'is', null)
      .where('a.state', 'not in', [...OUT_OF_FORCE])
      .where((of) =>
        of.not(
          of.exists(
            of
              .selectFrom('compile_captures as u')
              .select('u.job_id')
              .whereRef('u.job_id', '=', 'a.id')
              .where('u.forgotten_at', 'is not', null)
              .where('u.erased_at', 'is', null),
          ),
        ),
      )
      .limit(limit),
  )
}
