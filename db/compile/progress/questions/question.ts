import { p } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { QUESTION_STATES } from '../../../../core/compile/wire/jobs/questions.ts'
import type { RivalAnswer } from '../../../../core/compile/synthesis/questions/rival-answers.ts'
import { document, instant, real } from '../../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../../jobs/compile-job.ts'

/** One question of a job: the output of an unlabelled input. Numbers of a job are contiguous from 1. */
export const CompileQuestionEntity = defineTable({
  name: 'CompileQuestion',
  tableName: 'compile_questions',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    number: p.integer().primary(),
    /** Of its job. */
    tenantId: p.text(),
    state: p.enum(QUESTION_STATES),
    input: document<Json>(),
    reason: p.text(),
    /** The competing outputs with their shares. */
    answers: document<readonly RivalAnswer[]>(),
    /** Share of the candidates without an output. */
    unanswered: real(),
    /** The given output, as `{"output": …}`: an output may be null. */
    given: document<{ readonly output: Json }>().nullable(),
    askedAt: instant(),
    answerBy: instant(),
    answeredAt: instant().nullable(),
  },
  indexes: [{ properties: ['tenantId'] }, { properties: ['askedAt'] }],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'jobId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'compile_questions',
      key: ['jobId', 'number'],
      columns: {
        jobId: true,
        number: true,
        tenantId: 'the document is of one tenant',
        state: true,
        input: true,
        reason: true,
        answers: true,
        unanswered: true,
        given: true,
        askedAt: true,
        answerBy: true,
        answeredAt: true,
      },
    },
    sweeps: [
      {
        name: 'compileQuestions',
        summary: 'Remove the questions of compiles whose examples were removed',
        by: 'askedAt',
        only: 'exists (select 1 from compile_jobs j where j.id = job_id and j.dataset_sha256 is null)',
      },
    ],
  },
})
