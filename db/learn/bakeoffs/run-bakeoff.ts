import { sql } from 'kysely'
import type { ErrorCode } from '../../../core/learn/errors.ts'
import type { AnswerCost, JudgedAnswer, Silence } from '../../../core/learn/evals/bakeoff/answer.ts'
import type { BakeoffSummary, ContestantFacts } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import type { ContestantFigures } from '../../../core/learn/evals/bakeoff/figures.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json, list, notify, unnest } from '../../kernel/queries/typed.ts'

/** A failure that stands in a row. */
export interface RowFailure {
  readonly code: ErrorCode
  readonly message: string
}

/** Records that work has begun. Returns null when the bake-off is over: then no work is left. */
export async function beginBakeoff(op: Operation, id: string) {
  return await op.write(async (tx) => {
    const [begun] = await tx.q
      .updateTable('bakeoffs')
      .set((of) => ({ state: 'running', started_at: of.fn.coalesce('started_at', of.val(op.now())) }))
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning([
        'namespace',
        'definition',
        'dataset_id as datasetId',
        'dataset_version as datasetVersion',
        'row_count as rowCount',
      ])
      .execute()
    return begun ?? null
  })
}

/** Records the facts of a contestant that is ready to answer. */
export async function recordFacts(
  op: Operation,
  { bakeoffId, contestant }: { readonly bakeoffId: string; readonly contestant: number },
  facts: ContestantFacts,
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('bakeoff_contestants')
      .set({ facts: json(facts) })
      .where('bakeoff_id', '=', bakeoffId)
      .where('contestant', '=', contestant)
      .where('tenant_id', '=', op.tenantId)
      .execute()
  })
}

/** Returns the places of rows that a contestant has answered. */
export async function answeredPlaces(
  op: Operation,
  { bakeoffId, contestant }: { readonly bakeoffId: string; readonly contestant: number },
): Promise<ReadonlySet<number>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('bakeoff_answers')
      .select('place')
      .where('bakeoff_id', '=', bakeoffId)
      .where('contestant', '=', contestant)
      .where('tenant_id', '=', op.tenantId),
  )
  return new Set(rows.map(({ place }) => place))
}

/** Answers of a contestant, with the groups of their rows. */
export interface NewAnswers {
  readonly bakeoffId: string
  readonly contestant: number
  readonly namespace: string
  readonly answers: readonly (JudgedAnswer & { readonly group: number })[]
}

/**
 * Stores answers, each once: one that is there stays as it is, and a bake-off that is over gets none. Returns how many the
 * contestant has.
 */
export async function recordAnswers(op: Operation, given: NewAnswers): Promise<number> {
  const { bakeoffId, contestant, namespace, answers } = given
  const rows = unnest('r', {
    at: list(
      'integer',
      answers.map(({ place }) => place),
    ),
    row_group: list(
      'integer',
      answers.map(({ group }) => group),
    ),
    output: list(
      'json',
      answers.map(({ output }) => JSON.stringify(output)),
    ),
    silence: list(
      'text',
      answers.map(({ silence }) => silence),
    ),
    is_right: list(
      'boolean',
      answers.map(({ isRight }) => isRight),
    ),
    score: list(
      'double precision',
      answers.map(({ score }) => score),
    ),
    cost: list(
      'json',
      answers.map(({ cost }) => JSON.stringify(cost)),
    ),
  })
  return await op.write(async (tx) => {
    const stored = await tx.q
      .insertInto('bakeoff_answers')
      .columns([
        'bakeoff_id',
        'contestant',
        'tenant_id',
        'namespace',
        'answered_at',
        'place',
        'row_group',
        'output',
        'silence',
        'is_right',
        'score',
        'cost',
      ])
      .expression((q) =>
        q
          .selectFrom(rows)
          .where((of) =>
            of.exists(
              of
                .selectFrom('bakeoffs')
                .select('bakeoffs.id')
                .where('bakeoffs.id', '=', bakeoffId)
                .where('bakeoffs.tenant_id', '=', op.tenantId)
                .where('bakeoffs.finished_at', 'is', null),
            ),
          )
          .select((of) => [
            of.val(bakeoffId).as('bakeoff_id'),
            of.cast<number>(of.val(contestant), 'integer').as('contestant'),
            of.val(op.tenantId).as('tenant_id'),
            of.val(namespace).as('namespace'),
            of.cast<Date>(of.val(op.now()), 'timestamptz').as('answered_at'),
            'at as place',
            'row_group',
            'output',
            'silence',
            'is_right',
            'score',
            'cost',
          ]),
      )
      .onConflict((on) => on.doNothing())
      .returning('place')
      .execute()
    const [counted] = await tx.q
      .updateTable('bakeoff_contestants')
      .set({ answered_count: sql<number>`answered_count + ${stored.length}::integer` })
      .where('bakeoff_id', '=', bakeoffId)
      .where('contestant', '=', contestant)
      .where('tenant_id', '=', op.tenantId)
      .returning('answered_count as answered')
      .execute()
    return counted?.answered ?? 0
  })
}

/** An answer as it was stored. */
export interface StoredAnswer {
  readonly contestant: number
  readonly place: number
  readonly group: number
  readonly isRight: boolean
  readonly score: number
  readonly silence: Silence | null
  readonly cost: AnswerCost
}

/** Reads all answers of a bake-off without their content. */
export async function listAnswers(op: Operation, bakeoffId: string): Promise<readonly StoredAnswer[]> {
  return await op.read((q) =>
    q
      .selectFrom('bakeoff_answers')
      .select(['contestant', 'place', 'row_group as group', 'is_right as isRight', 'score', 'silence', 'cost'])
      .where('bakeoff_id', '=', bakeoffId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('contestant')
      .orderBy('place'),
  )
}

/** Records why a contestant has no figures; the bake-off continues without it. */
export async function failContestant(
  op: Operation,
  { bakeoffId, contestant }: { readonly bakeoffId: string; readonly contestant: number },
  { code, message }: RowFailure,
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('bakeoff_contestants')
      .set({ error_code: code, error_message: message })
      .where('bakeoff_id', '=', bakeoffId)
      .where('contestant', '=', contestant)
      .where('tenant_id', '=', op.tenantId)
      .where('error_code', 'is', null)
      .execute()
  })
}

/** The end of a bake-off: its figures, or a failure. */
export type BakeoffEnd =
  | {
      readonly summary: BakeoffSummary
      /** Rows that were there to be answered: those that were forgotten meanwhile are none. */
      readonly rowCount: number
      readonly figures: readonly { readonly contestant: number; readonly figures: ContestantFigures }[]
    }
  | { readonly failure: RowFailure }

/** Ends a bake-off, once; the content of its answers goes. A no-op for one that is over. */
export async function finishBakeoff(op: Operation, id: string, end: BakeoffEnd): Promise<void> {
  await op.write(async (tx) => {
    const failure = 'failure' in end ? end.failure : null
    const ended = await tx.q
      .updateTable('bakeoffs')
      .set({
        state: failure === null ? 'succeeded' : 'failed',
        summary: 'summary' in end ? json(end.summary) : null,
        ...('rowCount' in end && { row_count: end.rowCount }),
        error_code: failure?.code ?? null,
        error_message: failure?.message ?? null,
        finished_at: op.now(),
      })
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning('id')
      .execute()
    if (ended.length === 0) return
    for (const { contestant, figures } of 'figures' in end ? end.figures : []) {
      await tx.q
        .updateTable('bakeoff_contestants')
        .set({ figures: json(figures) })
        .where('bakeoff_id', '=', id)
        .where('contestant', '=', contestant)
        .where('tenant_id', '=', op.tenantId)
        .execute()
    }
    await tx.q
      .updateTable('bakeoff_answers')
      .set({ output: null })
      .where('bakeoff_id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    await tx.q.selectNoFrom(notify('svc_jobs', id).as('notified')).execute()
  })
}
