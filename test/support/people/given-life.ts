import type { Database } from '../../../db/kernel/database.ts'
import { sendSql } from '../db/send-sql.ts'

/** An artifact, its tenant, a namespace and a word that stands in the rows. */
export interface GivenLife {
  readonly tenantId: string
  readonly artifactId: string
  readonly namespace: string
  readonly mark: string
}

/** Stores the rows that gather around an artifact: a transition, a flag, results of rows with their report, and a gap for review. */
export async function givenLife(db: Database, { tenantId, artifactId, namespace, mark }: GivenLife): Promise<void> {
  await sendSql(
    db,
    `insert into artifact_transitions (artifact_id, position, tenant_id, from_state, to_state, actor, reason, at, effects_at)
     values ($1, 1, $2, 'signed', 'deployed', 'system:test', $3, now(), now())`,
    [artifactId, tenantId, mark],
  )
  await sendSql(db, `insert into artifact_reviews (artifact_id, source_id, tenant_id, at) values ($1, $1, $2, now())`, [
    artifactId,
    tenantId,
  ])
  await sendSql(
    db,
    `insert into row_results (artifact_id, source, row_id, tenant_id, cid, place, result, is_right, category, failed_checks,
       row_hash, got_hash)
     values ($1, 'a test', 'row_1', $2, $3, 0, 'wrong', false, $3, '[]', '\\x00', '\\x00') on conflict do nothing`,
    [artifactId, tenantId, mark],
  )
  await sendSql(
    db,
    `insert into row_reports (artifact_id, kind, tenant_id, cid, report, made_at)
     values ($1, 'diagnosis', $2, $3, '{}', now()) on conflict do nothing`,
    [artifactId, tenantId, mark],
  )
  await sendSql(
    db,
    `insert into review_gaps (tenant_id, namespace, cluster_id, day, title, score, recommended, delta, samples,
       artifact_id, capture_ids, fed_at)
     values ($1, $2, $3, '2026-11-01', $3, 1, 1, 1, 1, $4, '{}', now())`,
    [tenantId, namespace, mark, artifactId],
  )
}
