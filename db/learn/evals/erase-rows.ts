import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'

/** The content of a forgotten row: its place, and no text. */
const ERASED = sql<never>`json_build_object('task', e.task, 'docId', (e.sample ->> 'docId')::integer, 'doc', '{}'::json,
  'requests', '[]'::json, 'target', null, 'choices', null, 'slice', null, 'cluster', null)`

/**
 * Erases forgotten rows of a dataset from its evaluations. A scored row keeps its place and its scores without any text; one
 * that waits goes, so that it is neither asked nor scored. In evaluations whose prompts show rows of the dataset as examples,
 * all prompts go, and rows that wait with them. Repeating it is safe.
 */
export async function eraseEvaluatedRows(op: Operation, datasetId: string, hashes: ReadonlySet<string>): Promise<void> {
  if (hashes.size === 0) return
  await op.write(async (tx) => {
    const evaluations = await tx.q
      .selectFrom('evaluations')
      .select('id')
      .select(
        sql<boolean>`coalesce((definition ->> 'fewShots')::integer, 0) > 0 or exists (
          select from json_array_elements(definition #> '{set,tasks}') t where coalesce((t ->> 'num_fewshot')::integer, 0) > 0)`.as(
          'showsExamples',
        ),
      )
      .where('tenant_id', '=', op.tenantId)
      .where(sql<boolean>`definition #>> '{dataset,datasetId}' = ${datasetId}`)
      .execute()
    for (const { id, showsExamples } of evaluations) {
      const isForgotten = sql<boolean>`e.sample #>> '{doc,row_hash}' = any(${[...hashes]}::text[])`
      const touched = showsExamples ? sql<boolean>`true` : isForgotten
      const removed = await tx.q
        .deleteFrom('evaluation_rows as e')
        .where('e.evaluation_id', '=', id)
        .where('e.tenant_id', '=', op.tenantId)
        .where('e.scored_at', 'is', null)
        .where(touched)
        .executeTakeFirst()
      if (removed.numDeletedRows > 0n) {
        await tx.q
          .updateTable('evaluations')
          .set({ row_count: sql<number>`row_count - ${Number(removed.numDeletedRows)}::integer` })
          .where('id', '=', id)
          .where('tenant_id', '=', op.tenantId)
          .execute()
      }
      await tx.q
        .updateTable('evaluation_rows as e')
        .set({
          sample: ERASED,
          answers: null,
          outcome: sql<never>`(e.outcome::jsonb || '{"responses": {"type": "texts", "texts": []}}'::jsonb
            || jsonb_build_object('scores', (select coalesce(jsonb_agg(s || '{"filtered": null}'::jsonb), '[]'::jsonb)
                from jsonb_array_elements(e.outcome::jsonb -> 'scores') s)))::json`,
        })
        .where('e.evaluation_id', '=', id)
        .where('e.tenant_id', '=', op.tenantId)
        .where('e.scored_at', 'is not', null)
        .where(isForgotten)
        .execute()
      if (!showsExamples) continue
      await tx.q
        .updateTable('evaluation_rows as e')
        .set({ sample: sql<never>`(e.sample::jsonb || '{"requests": []}'::jsonb)::json` })
        .where('e.evaluation_id', '=', id)
        .where('e.tenant_id', '=', op.tenantId)
        .execute()
    }
  })
}
