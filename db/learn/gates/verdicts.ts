import { sql } from 'kysely'
import type { Verdict, Verdicts } from '../../../core/compile/ports.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Fills the port of compiles: decided gates, by the artifacts or by the evaluations that they compared. */
export const verdicts: Verdicts<Operation> = {
  async on(op, artifacts, limit) {
    const ids = artifacts.map(({ id }) => id)
    const cids = [...new Set(artifacts.map(({ cid }) => cid))]
    const cidOf = (side: 'candidate' | 'baseline') => sql<string | null>`registration -> ${sql.lit(side)} ->> 'cid'`
    const rows = await op.read((q) =>
      q
        .selectFrom('gates')
        .select(['id', 'mode', 'decision', 'row_count as rows', 'finished_at as decidedAt'])
        .select(['candidate_id as candidateId', 'baseline_id as baselineId', 'registration_hash as registrationHash'])
        .select([
          cidOf('candidate').as('candidateCid'),
          cidOf('baseline').as('baselineCid'),
          sql<number | null>`(registration ->> 'attempt')::integer`.as('attempt'),
        ])
        .where('tenant_id', '=', op.tenantId)
        .where('decision', 'is not', null)
        .where(
          // A gate on evaluations names no artifact, but the CIDs of what was evaluated.
          sql<boolean>`case when mode = 'evaluations'
            then ${cidOf('candidate')} = any(${cids}::text[]) or ${cidOf('baseline')} = any(${cids}::text[])
            else candidate_id = any(${ids}::text[]) or baseline_id = any(${ids}::text[]) end`,
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
    )
    const byCid = Map.groupBy(artifacts, ({ cid }) => cid)
    const withCid = (cid: string | null) => (cid === null ? [] : (byCid.get(cid) ?? []).map(({ id }) => id))
    return rows.flatMap(
      ({ candidateId, baselineId, candidateCid, baselineCid, decision, decidedAt, ...row }): Verdict[] =>
        decision === null || decidedAt === null
          ? []
          : [
              {
                ...row,
                decision,
                decidedAt,
                candidates: row.mode === 'evaluations' ? withCid(candidateCid) : [candidateId],
                baselines: row.mode === 'evaluations' ? withCid(baselineCid) : [baselineId],
              },
            ],
    )
  },

  async named(op, ids) {
    const rows = await op.read((q) =>
      q
        .selectFrom('gates')
        .select('id')
        .where('tenant_id', '=', op.tenantId)
        .where('decision', 'is not', null)
        .where(sql<boolean>`id = any(${[...ids]}::text[])`),
    )
    return rows.map(({ id }) => id)
  },
}
