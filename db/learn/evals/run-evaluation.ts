import { sql } from 'kysely'
import type { ErrorCode } from '../../../core/learn/errors.ts'
import type { RowOutcome } from '../../../core/learn/evals/evaluation.ts'
import type { PackedOutcomes } from '../../../core/learn/evals/scoring/packed-outcome.ts'
import type { EvalSummary } from '../../../core/learn/evals/scoring/summarize.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json, unnest, writtenList, type Reads } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Records that work has begun. Returns null when the evaluation is over: then no work is left. */
export async function beginEvaluation(op: Operation, id: string) {
  return await op.write(async (tx) => {
    const [begun] = await tx.q
      .updateTable('evaluations')
      .set((of) => ({ state: 'running', started_at: of.fn.coalesce('started_at', of.val(op.now())) }))
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning(['definition', 'namespace', 'row_count as rowCount', 'scored_count as scoredCount'])
      .execute()
    return begun ?? null
  })
}

/** Rows that are wanted: behind a place, at most so many. */
export interface WaitingQuery {
  readonly after: number
  readonly limit: number
}

/** Returns the next rows that are not scored, in their order. */
export async function nextRows(op: Operation, id: string, query: WaitingQuery) {
  return await op.read((q) => waiting(q, op, id, query).select(['place', 'sample', 'answers']))
}

/** The same with the rows as their JSON, for a thread that reads them. */
export async function nextSamples(op: Operation, id: string, query: WaitingQuery) {
  return await op.read((q) => waiting(q, op, id, query).select(['place', sql<string>`sample::text`.as('sample')]))
}

function waiting(q: Reads, op: Operation, id: string, { after, limit }: WaitingQuery) {
  return q
    .selectFrom('evaluation_rows')
    .where('evaluation_id', '=', id)
    .where('tenant_id', '=', op.tenantId)
    .where('scored_at', 'is', null)
    .where('place', '>', after)
    .orderBy('place')
    .limit(limit)
}

/** Records outcomes of rows, each once: a row that is scored already stays as it is. Returns the number of scored rows. */
export async function recordOutcomes(op: Operation, id: string, rows: PackedOutcomes): Promise<number> {
  return await op.write(async (tx) => await storeOutcomes(tx, op, id, rows))
}

/** The same in a transaction. */
export async function storeOutcomes(
  tx: Transaction,
  op: Operation,
  id: string,
  { places, outcomes, isRight, cutTokens }: PackedOutcomes,
): Promise<number> {
  const given = unnest('r', {
    at: writtenList('integer', places),
    outcome: writtenList('json', outcomes),
    is_right: writtenList('boolean', isRight),
    cut: writtenList('integer', cutTokens),
  })
  const stored = await tx.q
    .updateTable('evaluation_rows as e')
    .from(given)
    .set((of) => ({ outcome: sql<RowOutcome>`r.outcome`, is_right: of.ref('r.is_right'), scored_at: op.now() }))
    .where('e.evaluation_id', '=', id)
    .where('e.tenant_id', '=', op.tenantId)
    .whereRef('e.place', '=', 'r.at')
    .where('e.scored_at', 'is', null)
    .returning('r.cut')
    .execute()
  const cut = stored.reduce((sum, row) => sum + (row.cut ?? 0), 0)
  const [counted] = await tx.q
    .updateTable('evaluations')
    .set({
      scored_count: sql<number>`scored_count + ${stored.length}::integer`,
      cut_tokens: sql<number>`cut_tokens + ${cut}::bigint`,
    })
    .where('id', '=', id)
    .where('tenant_id', '=', op.tenantId)
    .returning('scored_count as scored')
    .execute()
  return counted?.scored ?? 0
}

/**
 * Ends an evaluation with its figures, or with a failure. A no-op for one that is over, and for a run that is not its newest:
 * an earlier one must not end what was resumed. Without an attempt any run is ended: activities of earlier releases tell none.
 */
export async function finishEvaluation(
  op: Operation,
  { evaluationId: id, attempt }: { readonly evaluationId: string; readonly attempt?: number | undefined },
  end: { readonly summary: EvalSummary } | { readonly failure: { readonly code: ErrorCode; readonly message: string } },
): Promise<void> {
  await op.write(async (tx) => {
    const failure = 'failure' in end ? end.failure : null
    await tx.q
      .updateTable('evaluations')
      .set({
        state: failure === null ? 'succeeded' : 'failed',
        summary: 'summary' in end ? json(end.summary) : null,
        error_code: failure?.code ?? null,
        error_message: failure?.message ?? null,
        finished_at: op.now(),
      })
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where((of) => (attempt === undefined ? of.lit(true) : of('attempt', '=', attempt)))
      .where('finished_at', 'is', null)
      .execute()
  })
}
