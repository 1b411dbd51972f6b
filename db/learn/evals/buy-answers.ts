import { sql } from 'kysely'
import { storableJson } from '../../../core/kernel/json/storable.ts'
import type { BoughtAnswer } from '../../../core/learn/evals/evaluation.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Returns rows behind a place that are not scored, with the answers that they have, in their order. */
export async function rowsToAsk(
  op: Operation,
  id: string,
  { after, limit }: { readonly after: number; readonly limit: number },
) {
  return await op.read((q) =>
    q
      .selectFrom('evaluation_rows')
      .select(['place', 'sample', 'answers'])
      .where('evaluation_id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('scored_at', 'is', null)
      .where('place', '>', after)
      .orderBy('place')
      .limit(limit),
  )
}

/** One answer of a row: `repeat` counts from 0. */
export interface NewAnswer {
  readonly place: number
  readonly repeat: number
  readonly answer: BoughtAnswer
  /** True for the last answer of its row. */
  readonly isLast: boolean
}

/**
 * Records an answer and what it cost, in one transaction and once: one that is there already stays. A row that was erased
 * meanwhile has none.
 */
export async function recordAnswer(
  op: Operation,
  id: string,
  { place, repeat, answer, isLast }: NewAnswer,
): Promise<void> {
  await op.write(async (tx) => {
    const kept = await tx.q
      .updateTable('evaluation_rows')
      .set({
        answers: sql<
          readonly BoughtAnswer[]
        >`(coalesce(answers::jsonb, '[]'::jsonb) || ${storableJson([answer])}::jsonb)::json`,
      })
      .where('evaluation_id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('place', '=', place)
      .where(sql<boolean>`coalesce(json_array_length(answers), 0) = ${repeat}`)
      .executeTakeFirst()
    const isKept = kept.numUpdatedRows > 0n
    await tx.q
      .updateTable('evaluations')
      .set({
        answered_count: sql<number>`answered_count + ${isKept && isLast ? 1 : 0}::integer`,
        input_tokens: sql<number>`input_tokens + ${answer.inputTokens}::bigint`,
        output_tokens: sql<number>`output_tokens + ${answer.outputTokens}::bigint`,
        // Unknown from the first answer on whose cost is unknown.
        cost_usd_micros: sql<number | null>`cost_usd_micros + ${answer.costUsdMicros}::bigint`,
      })
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .execute()
  })
}
