import { z } from 'zod'
import { redactReport } from '../../../core/overview/reports/client-error.ts'
import { ClientErrorAnswer, ClientErrorBody, ListClientErrorsAnswer } from '../../../core/overview/wire/reports.ts'
import { listClientErrors, recordClientError } from '../../../db/overview/across/client-errors/client-errors.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

export const reportClientErrorRoute = defineRoute({
  method: 'post',
  path: '/v1/client-error',
  operationId: 'reportClientError',
  group: 'health',
  summary: 'Report an uncaught error of a page',
  description: ({ client_error_days: days }) =>
    `The pages of the service report theirs here. Sensitive text, queries of addresses, ids and tokens are taken out before anything is stored; neither the caller nor the tenant is. Equal errors of a day are counted, and kept for ${days} days.`,
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  limit: { name: 'client-errors', limit: 'client_errors_per_ip_minute', windowS: 60, counts: 'calls' },
  body: ClientErrorBody,
  answers: { 202: envelope('It is stored or counted', ClientErrorAnswer) },
}).handle(async ({ services, request, body }) => {
  const { message, source = null, lineno = null, colno = null, stack = null, path = null, ua } = body
  const agent = ua ?? request.headers['user-agent'] ?? null
  const report = redactReport({ message, source, line: lineno, col: colno, stack, path, agent })
  await recordClientError(services.db, { report, now: services.now(), limits: services.limits })
  return { status: 202, body: {} }
})

export const listClientErrorsRoute = defineRoute({
  method: 'get',
  path: '/v1/admin/client-errors',
  operationId: 'adminListClientErrors',
  group: 'admin',
  summary: 'List the errors that browsers reported, newest first',
  auth: 'admin',
  scope: undefined,
  query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
  answers: { 200: envelope('The errors', ListClientErrorsAnswer) },
}).handle(async ({ services, query }) => {
  const rows = await listClientErrors(services.db, query.limit)
  const errors = rows.map(({ line, col, agent, firstAt, lastAt, ...row }) => ({
    ...row,
    lineno: line,
    colno: col,
    browser: agent,
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
  }))
  return { status: 200, body: { errors } }
})
