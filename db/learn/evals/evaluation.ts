import { p } from '@mikro-orm/core'
import {
  EVAL_SOURCES,
  EVAL_STATES,
  type BoughtAnswer,
  type EvalDefinition,
  type RowOutcome,
} from '../../../core/learn/evals/evaluation.ts'
import type { PreparedRow } from '../../../core/learn/evals/prompts/prepared.ts'
import type { EvalSummary } from '../../../core/learn/evals/scoring/summarize.ts'
import { bigCount, bytes, document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One evaluation: its tasks, its target and its figures. */
export const EvaluationEntity = defineTable({
  name: 'Evaluation',
  tableName: 'evaluations',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    name: p.text(),
    state: p.enum(EVAL_STATES),
    definition: document<EvalDefinition>(),
    /** SHA-256 over the hashes of all rows in their order. */
    dataHash: bytes(),
    rowCount: p.integer(),
    scoredCount: p.integer(),
    /** Tokens that were cut from the left of prompts. */
    cutTokens: bigCount(),
    source: p.enum(EVAL_SOURCES).default('measured'),
    /** Rows that a provider's model has answered. */
    answeredCount: p.integer().default(0),
    /** Tokens and cost of a provider's answers; the cost is null where no price is known. */
    inputTokens: bigCount().default(0),
    outputTokens: bigCount().default(0),
    costUsdMicros: bigCount().nullable(),
    /** Counts the runs of its workflow: one more each time that it is resumed. */
    attempt: p.integer().default(1),
    summary: document<EvalSummary>().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: instant(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
  },
  indexes: [
    { name: 'evaluations_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'evaluations_unfinished', properties: ['id'], where: 'finished_at is null' },
    { name: 'evaluations_swept', properties: ['finishedAt'], where: 'finished_at is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'evaluations',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        name: true,
        state: true,
        definition: true,
        dataHash: true,
        rowCount: true,
        scoredCount: true,
        cutTokens: true,
        source: true,
        answeredCount: true,
        inputTokens: true,
        outputTokens: true,
        costUsdMicros: true,
        attempt: true,
        summary: true,
        errorCode: true,
        errorMessage: true,
        createdAt: true,
        startedAt: true,
        finishedAt: true,
      },
    },
    sweeps: [
      {
        name: 'evaluations',
        summary: 'Remove old evaluations with their rows',
        by: 'finishedAt',
        keptDays: 'evaluation_days',
      },
    ],
  },
})

/** A row of an evaluation: its requests, and its outcome once it is scored. */
export const EvaluationRowEntity = defineTable({
  name: 'EvaluationRow',
  tableName: 'evaluation_rows',
  properties: {
    evaluationId: () =>
      p.manyToOne(EvaluationEntity).mapToPk().fieldName('evaluation_id').primary().deleteRule('cascade'),
    /** Position over all tasks, from 0. */
    place: p.integer().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    task: p.text(),
    /** SHA-256 over the RFC 8785 form of the row. */
    rowHash: bytes(),
    sample: document<PreparedRow>(),
    /** Of a provider's model, in the order of the repeats. */
    answers: document<readonly BoughtAnswer[]>().nullable(),
    outcome: document<RowOutcome>().nullable(),
    /** Null before it is scored, and for tasks whose rows are neither right nor wrong. */
    isRight: p.boolean().nullable(),
    scoredAt: instant().nullable(),
  },
  indexes: [
    { name: 'evaluation_rows_of_tenant', properties: ['tenantId', 'evaluationId', 'place'] },
    { name: 'evaluation_rows_waiting', properties: ['evaluationId', 'place'], where: 'scored_at is null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'evaluation_rows',
      key: ['evaluationId', 'place'],
      columns: {
        evaluationId: true,
        place: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        task: true,
        rowHash: true,
        sample: true,
        answers: true,
        outcome: true,
        isRight: true,
        scoredAt: true,
      },
    },
    sweeps: { none: 'removed with its evaluation' },
  },
})
