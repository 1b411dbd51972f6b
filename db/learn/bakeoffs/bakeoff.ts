import { p } from '@mikro-orm/core'
import type { AnswerCost } from '../../../core/learn/evals/bakeoff/answer.ts'
import {
  BAKEOFF_STATES,
  type BakeoffDefinition,
  type BakeoffSummary,
  type ContestantFacts,
} from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import { SILENCES } from '../../../core/learn/evals/bakeoff/answer.ts'
import { CONTESTANT_KINDS } from '../../../core/learn/evals/bakeoff/contestant.ts'
import type { ContestantFigures } from '../../../core/learn/evals/bakeoff/figures.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { document, instant, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One bake-off: contestants on the held-out rows of a version of a dataset. */
export const BakeoffEntity = defineTable({
  name: 'Bakeoff',
  tableName: 'bakeoffs',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    state: p.enum(BAKEOFF_STATES),
    /** Stays when the dataset goes. */
    datasetId: p.text(),
    datasetVersion: p.integer(),
    merkleRoot: p.text(),
    definition: document<BakeoffDefinition>(),
    rowCount: p.integer(),
    trainCount: p.integer(),
    summary: document<BakeoffSummary>().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: instant(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
  },
  indexes: [
    { name: 'bakeoffs_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'bakeoffs_unfinished', properties: ['id'], where: 'finished_at is null' },
    { name: 'bakeoffs_swept', properties: ['finishedAt'], where: 'finished_at is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'bakeoffs',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        state: true,
        datasetId: true,
        datasetVersion: true,
        merkleRoot: true,
        definition: true,
        rowCount: true,
        trainCount: true,
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
        name: 'bakeoffs',
        summary: 'Remove old bake-offs with their answers',
        by: 'finishedAt',
        keptDays: 'bakeoff_days',
      },
    ],
  },
})

/** A contestant of a bake-off, with its figures once it has answered all rows, or why it could not. */
export const BakeoffContestantEntity = defineTable({
  name: 'BakeoffContestant',
  tableName: 'bakeoff_contestants',
  properties: {
    bakeoffId: () => p.manyToOne(BakeoffEntity).mapToPk().fieldName('bakeoff_id').primary().deleteRule('cascade'),
    /** Position among the contestants, from 0. */
    contestant: p.integer().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    name: p.text(),
    kind: p.enum(CONTESTANT_KINDS),
    answeredCount: p.integer(),
    facts: document<ContestantFacts>().nullable(),
    figures: document<ContestantFigures>().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
  },
  indexes: [{ name: 'bakeoff_contestants_of_tenant', properties: ['tenantId', 'bakeoffId', 'contestant'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'bakeoff_contestants',
      key: ['bakeoffId', 'contestant'],
      columns: {
        bakeoffId: true,
        contestant: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        name: true,
        kind: true,
        answeredCount: true,
        facts: true,
        figures: true,
        errorCode: true,
        errorMessage: true,
      },
    },
    sweeps: { none: 'removed with its bake-off' },
  },
})

/** An answer of a contestant to a row, stored as it comes: it is asked for, and paid for, once. */
export const BakeoffAnswerEntity = defineTable({
  name: 'BakeoffAnswer',
  tableName: 'bakeoff_answers',
  properties: {
    bakeoffId: () => p.manyToOne(BakeoffEntity).mapToPk().fieldName('bakeoff_id').primary().deleteRule('cascade'),
    contestant: p.integer().primary(),
    /** Place of the row in the version of the dataset. */
    place: p.integer().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    /** Rows of one group belong together. */
    rowGroup: p.integer(),
    /** Null once the bake-off is over: a copy of a row may not outlive it. */
    output: document<Json>().nullable(),
    silence: p.enum(SILENCES).nullable(),
    isRight: p.boolean(),
    score: real(),
    cost: document<AnswerCost>(),
    answeredAt: instant(),
  },
  indexes: [{ name: 'bakeoff_answers_of_tenant', properties: ['tenantId', 'bakeoffId', 'contestant', 'place'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'bakeoff_answers',
      key: ['bakeoffId', 'contestant', 'place'],
      columns: {
        bakeoffId: true,
        contestant: true,
        place: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        rowGroup: true,
        output: true,
        silence: true,
        isRight: true,
        score: true,
        cost: true,
        answeredAt: true,
      },
    },
    sweeps: { none: 'removed with its bake-off' },
  },
})

/** Preferences of a judge between the answers of two contestants to a row, stored at once so that it is asked only once. */
export const BakeoffPreferenceEntity = defineTable({
  name: 'BakeoffPreference',
  tableName: 'bakeoff_preferences',
  properties: {
    bakeoffId: () => p.manyToOne(BakeoffEntity).mapToPk().fieldName('bakeoff_id').primary().deleteRule('cascade'),
    place: p.integer().primary(),
    first: p.integer().primary(),
    second: p.integer().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    /** Share that the first won, the mean of both orders; null where the judge gave no verdict. */
    won: real().nullable(),
    cost: document<AnswerCost>(),
    judgedAt: instant(),
  },
  indexes: [
    { name: 'bakeoff_preferences_of_tenant', properties: ['tenantId', 'bakeoffId', 'place', 'first', 'second'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'bakeoff_preferences',
      key: ['bakeoffId', 'place', 'first', 'second'],
      columns: {
        bakeoffId: true,
        place: true,
        first: true,
        second: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        won: true,
        cost: true,
        judgedAt: true,
      },
    },
    sweeps: { none: 'removed with its bake-off' },
  },
})
