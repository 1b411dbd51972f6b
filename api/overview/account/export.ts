import { Readable } from 'node:stream'
import { exportAccount } from '../../../db/overview/account/export/export-account.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { AccountDocument } from '../../../core/overview/wire/account/export.ts'
import { defineRoute } from '../services.ts'

export const exportAccountRoute = defineRoute({
  method: 'get',
  path: '/v1/account/export',
  operationId: 'exportAccount',
  group: 'accounts',
  summary: 'Export the data of the tenant as one file',
  description:
    'A JSON document with the tenant, its people, keys (without secrets), concepts, versions, jobs with their examples, artifacts, calls, captured events, usage, invoices and audit log. Archives are downloaded from their artifacts.',
  auth: 'key',
  scope: 'account:export',
  namespace: 'refused',
  answers: { 200: rawDocument('The document, streamed', AccountDocument) },
}).handle(async ({ op }) => {
  const { fileName, pieces } = await exportAccount(op)
  return {
    status: 200,
    raw: { kind: 'stream', stream: Readable.from(pieces, { objectMode: false }) },
    headers: { 'Content-Disposition': `attachment; filename="${fileName}"`, 'Cache-Control': 'no-store' },
  }
})
