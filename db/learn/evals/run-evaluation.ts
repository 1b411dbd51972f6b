import { sql } from 'kysely'
import type { ErrorCode } from '../../../core/errors.ts'
import { storableJson } from '../../../core/kernel/json/storable.ts'
import type { RowOutcome } from '../../../core/learn/evals/evaluation.ts'
import type { EvalSummary } from '../../../core/learn/evals/scoring/summarize.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json, list, unnest } from '../../kernel/queries/typed.ts'
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

/** Returns the next rows that are not scored, in their order. */
export async function nextRows(op: Operation, id: string, limit: number) {
  return await op.read((q) =>
    q
      .selectFrom('evaluation_rows')
      .select(['place', 'task', 'sample', 'answers'])
      .where('evaluation_id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('scored_at', 'is', null)
      .orderBy('place')
      .limit(limit),
  )
}

/** The outcome of one row. */
export interface ScoredPlace {
  readonly place: number
  readonly outcome: RowOutcome
  readonly isRight: boolean | null
}

/** Records outcomes of rows, each once: a row that is scored already stays as it is. Returns the number of scored rows. */
export async function recordOutcomes(op: Operation, id: string, rows: readonly ScoredPlace[]): Promise<number> {
  const packed = rows.map(({ place, outcome, isRight }) => ({
    place,
    outcome: storableJson(outcome),
    isRight,
    cutTokens: outcome.cutTokens,
  }))
  return await op.write(async (tx) => await storeOutcomes(tx, op, id, packed))
}

/** An outcome as it is stored. */
export interface PackedOutcome extends Omit<ScoredPlace, 'outcome'> {
  /** JSON, see `storableJson`. */
  readonly outcome: string
  readonly cutTokens: number
}

/** The same in a transaction. */
export async function storeOutcomes(
  tx: Transaction,
  op: Operation,
  id: string,
  rows: readonly PackedOutcome[],
): Promise<number> {
  const given = unnest('r', {
    at: list(
      'integer',
      rows.map(({ place }) => place),
    ),
    outcome: list(
      'json',
      rows.map(({ outcome }) => outcome),
    ),
    is_right: list(
      'boolean',
      rows.map(({ isRight }) => isRight),
    ),
    cut: list(
      'integer',
      rows.map(({ cutTokens }) => cutTokens),
    ),
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
