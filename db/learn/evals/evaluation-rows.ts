import { sql } from 'kysely'
import type { CountedRow } from '../../../core/learn/evals/compare/compare-counts.ts'
import type { ComparedRow } from '../../../core/learn/evals/compare/pair-rows.ts'
import type { StoredOutcome } from '../../../core/learn/evals/scoring/packed-outcome.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reads } from '../../kernel/queries/typed.ts'

/** Rows that are wanted: from a place on, at most so many, perhaps of one task, right or wrong ones only. */
export interface RowQuery {
  readonly from: number
  readonly limit: number
  readonly task?: string | undefined
  readonly right?: boolean | undefined
}

/** A row of an evaluation as it is stored. */
export type EvaluationRow = Awaited<ReturnType<typeof listEvaluationRows>>[number]

/** Lists rows of an evaluation in their order. */
export async function listEvaluationRows(op: Operation, evaluationId: string, query: RowQuery) {
  const { from, limit, task, right } = query
  return await op.read((q) => {
    let rows = q
      .selectFrom('evaluation_rows')
      .select(['place', 'task', 'row_hash as rowHash', 'sample', 'outcome', 'is_right as isRight'])
      .where('evaluation_id', '=', evaluationId)
      .where('tenant_id', '=', op.tenantId)
      .where('place', '>=', from)
      .orderBy('place')
      .limit(limit)
    if (task !== undefined) rows = rows.where('task', '=', task)
    return right === undefined ? rows : rows.where('is_right', '=', right)
  })
}

const PAGE = 500

/** Reads all rows of an evaluation in their order, or those of one task, some at a time. */
export async function* eachEvaluationRow(
  op: Operation,
  evaluationId: string,
  task?: string,
): AsyncGenerator<EvaluationRow> {
  for (let from = 0; ;) {
    const rows = await listEvaluationRows(op, evaluationId, { from, limit: PAGE, task })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    from = last.place + 1
  }
}

/** Reads the scored rows of an evaluation in their order, some at a time, as their JSON; the next ones while these are worked on. */
export async function* eachOutcomes(op: Operation, evaluationId: string): AsyncGenerator<readonly StoredOutcome[]> {
  const read = async (after: number): Promise<readonly StoredOutcome[]> =>
    await op.read((q) =>
      q
        .selectFrom('evaluation_rows')
        .select(['place', 'task', 'is_right as isRight'])
        .select([sql<string>`sample::text`.as('sample'), sql<string>`outcome::text`.as('outcome')])
        .where('evaluation_id', '=', evaluationId)
        .where('tenant_id', '=', op.tenantId)
        .where('outcome', 'is not', null)
        .where('place', '>', after)
        .orderBy('place')
        .limit(PAGE),
    )
  for (let rows = await read(-1); ;) {
    const last = rows.at(-1)
    if (last === undefined) return
    const following = read(last.place)
    // Its failure is thrown below, or is of no interest to a caller that has failed.
    following.catch(() => undefined)
    yield rows
    rows = await following
  }
}

/** Counts the turns of an evaluation that its judge gave no score. */
export async function countJudgeErrors(op: Operation, evaluationId: string): Promise<number> {
  const [counted] = await op.read((q) =>
    q
      .selectFrom('evaluation_rows')
      .select(
        // Earlier outcomes may hold escapes that Postgres does not read; what is counted here has none.
        sql<number>`coalesce(sum((select count(*) from json_array_elements(
            regexp_replace(outcome::text, ${'\\\\.'}, '', 'g')::json #> '{marks,turns}') turn
          where turn ->> 'score' is null)), 0)::integer`.as('errors'),
      )
      .where('evaluation_id', '=', evaluationId)
      .where('tenant_id', '=', op.tenantId),
  )
  return counted?.errors ?? 0
}

/** Counts the rows that are right or wrong in two evaluations, paired as `pairRows` pairs them. */
export async function countPairs(
  op: Operation,
  { first, second }: { readonly first: string; readonly second: string },
): Promise<number> {
  const [counted] = await op.read((q) => {
    const rowsOf = (id: string) =>
      q
        .selectFrom('evaluation_rows')
        .select(['task', 'row_hash as hash', q.fn.countAll<number>().as('rows')])
        .where('evaluation_id', '=', id)
        .where('tenant_id', '=', op.tenantId)
        .where('is_right', 'is not', null)
        .groupBy(['task', 'row_hash'])
    return q
      .selectFrom(rowsOf(first).as('a'))
      .innerJoin(rowsOf(second).as('b'), (on) => on.onRef('b.task', '=', 'a.task').onRef('b.hash', '=', 'a.hash'))
      .select(sql<number>`coalesce(sum(least(a.rows, b.rows)), 0)::integer`.as('pairs'))
  })
  return counted?.pairs ?? 0
}

/** Returns the rows of an evaluation that are right or wrong, without their content. */
export async function listComparedRows(op: Operation, evaluationId: string): Promise<readonly ComparedRow[]> {
  return await op.read((q) =>
    paired(q, op, evaluationId)
      .select(sql<boolean>`is_right`.as('isRight'))
      .where('is_right', 'is not', null),
  )
}

/** Returns the scored rows of an evaluation with what they count for metrics of a corpus, without their content. */
export async function listCountedRows(op: Operation, evaluationId: string): Promise<readonly CountedRow[]> {
  return await op.read((q) =>
    paired(q, op, evaluationId)
      .select(
        sql<CountedRow['scores']>`(select coalesce(json_agg(json_build_object(
            'filter', score -> 'filter', 'metrics', score -> 'metrics')), '[]'::json)
          from json_array_elements(outcome -> 'scores') score)`.as('scores'),
      )
      .where('outcome', 'is not', null),
  )
}

function paired(q: Reads, op: Operation, evaluationId: string) {
  return q
    .selectFrom('evaluation_rows')
    .select(['place', 'task'])
    .select([
      sql<string>`encode(row_hash, 'hex')`.as('hash'),
      sql<string | null>`sample ->> 'slice'`.as('slice'),
      sql<string | null>`sample ->> 'cluster'`.as('cluster'),
    ])
    .where('evaluation_id', '=', evaluationId)
    .where('tenant_id', '=', op.tenantId)
    .orderBy('place')
}
