import { z } from 'zod'
import { JOB_STATUSES } from '../../../core/compile/rows/task.ts'
import { countAllAudit, listAllAudit } from '../../../db/overview/across/admin/list-all-audit.ts'
import { countAllJobs, listAllJobs } from '../../../db/overview/across/admin/list-all-jobs.ts'
import { nameAllActors } from '../../../db/overview/across/admin/name-all-actors.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { pageQuery } from '../../../core/kernel/wire/page.ts'
import { AdminListAuditAnswer, AdminListJobsAnswer } from '../../../core/overview/wire/admin/activity.ts'
import { auditSentence } from '../../ledger/audit-sentence.ts'
import { defineRoute } from '../services.ts'

export const listAllAuditRoute = defineRoute({
  method: 'get',
  path: '/v1/admin/audit',
  operationId: 'adminListAudit',
  group: 'admin',
  summary: 'List the audit logs of all tenants, newest first',
  auth: 'admin',
  scope: undefined,
  query: pageQuery(200, 1000).extend({
    tenant_id: z.string().max(40).optional(),
    op: z.string().max(60).optional().meta({ description: 'Only this action, such as `api_key.revoked`' }),
  }),
  answers: {
    200: envelope('One page; `total` counts all that were found', AdminListAuditAnswer),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const search = { tenantId: query.tenant_id, action: query.op }
  const [page, total] = await Promise.all([
    listAllAudit(op, { ...search, limit: query.limit, cursor: query.cursor }),
    countAllAudit(op, search),
  ])
  const lines = await nameAllActors(op, page.items)
  return {
    status: 200,
    body: {
      total,
      events: lines.map((line) => ({
        id: line.id,
        seq: line.seq,
        at: line.at.toISOString(),
        op: line.action,
        actor: line.actor,
        by: line.by,
        sentence: auditSentence(line.action, line.by),
        target: line.target,
        request_id: line.requestId,
        tenant_id: line.tenantId,
        tenant_name: line.tenantName,
        payload: line.payload,
      })),
      next_cursor: page.nextCursor,
    },
  }
})

export const listAllJobsRoute = defineRoute({
  method: 'get',
  path: '/v1/admin/compile-jobs',
  operationId: 'adminListJobs',
  group: 'admin',
  summary: 'List the compile jobs of all tenants, newest first',
  auth: 'admin',
  scope: undefined,
  query: pageQuery(100, 500).extend({ status: z.enum(JOB_STATUSES).optional() }),
  answers: {
    200: envelope('One page; `total` counts all that were found', AdminListJobsAnswer),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const [page, total] = await Promise.all([listAllJobs(op, query), countAllJobs(op, query.status)])
  return {
    status: 200,
    body: {
      total,
      jobs: page.items.map((job) => ({
        id: job.id,
        tenant: { id: job.tenantId, name: job.tenantName },
        task: job.task,
        status: job.status,
        stage: job.stage,
        k_score: job.kScore,
        error_code: job.errorCode,
        created_at: job.createdAt.toISOString(),
        completed_at: job.finishedAt?.toISOString() ?? null,
      })),
      next_cursor: page.nextCursor,
    },
  }
})
