import { pipeline, Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import { z } from 'zod'
import { INSTANT, parseInstant } from '../../core/kernel/wire/since.ts'
import { auditDaysOf } from '../../core/kernel/tenant/audit-days.ts'
import type { AuditEntry } from '../../db/ledger/audit/audit-entry.ts'
import { countAudit, listAudit, streamAuditBatches } from '../../db/ledger/audit/list-audit.ts'
import { verifyAudit } from '../../db/ledger/audit/verify-audit.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import { envelope, envelopeOr } from '../kernel/reply/answers.ts'
import { pageQuery } from '../../core/kernel/wire/page.ts'
import {
  type AuditEntryView,
  GetAuditRetentionAnswer,
  ListAuditAnswer,
  VerifyAuditAnswer,
} from '../../core/ledger/wire/audit.ts'
import { auditSentence } from './audit-sentence.ts'
import { defineRoute, type LedgerPorts, type Named } from './services.ts'

function presentAuditEntry(entry: Named<AuditEntry>): z.input<typeof AuditEntryView> {
  return {
    id: entry.id,
    seq: entry.seq,
    at: entry.at.toISOString(),
    actor: entry.actor,
    by: entry.by,
    sentence: auditSentence(entry.action, entry.by),
    op: entry.action,
    target: entry.target ?? null,
    request_id: entry.requestId,
    payload: { ...entry.payload },
    key_id: entry.keyId,
    prev_hash: entry.prevHash,
    event_hash: entry.hash,
  }
}

const CSV_COLUMNS = [
  'at',
  'actor',
  'op',
  'payload',
  'target',
  'request_id',
  'seq',
  'id',
  'event_hash',
  'by',
  'sentence',
]

export const listAuditRoute = defineRoute({
  method: 'get',
  path: '/v1/account/audit-log',
  operationId: 'listAudit',
  group: 'accounts',
  summary: 'List the audit log of the tenant, newest first',
  description:
    'One page as JSON, or the whole log streamed as CSV. `by` says in words who acted, and `sentence` what: the ledger itself holds ids, and names are those of today. Cells of the CSV that a spreadsheet would read as a formula begin with an apostrophe.',
  auth: 'key',
  scope: 'audit:read',
  namespace: 'refused',
  query: pageQuery(100, 500).extend({
    format: z.enum(['json', 'csv']).default('json'),
    since: z
      .string()
      .max(40)
      .refine((text) => parseInstant(text) !== undefined, {
        error: 'must be a time in ISO 8601, or milliseconds since 1970',
      })
      .optional()
      .meta({ description: 'Only actions at this time or later', override: { pattern: INSTANT.source } }),
  }),
  answers: {
    200: envelopeOr('One page of lines, or all of them as CSV', ListAuditAnswer, 'text/csv; charset=utf-8'),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, services, query: { format, since: given, limit, cursor } }) => {
  const filter = { since: given === undefined ? undefined : parseInstant(given) }
  if (format === 'csv') {
    const rows = Readable.from(csvRows(op, services.ports, streamAuditBatches(op, filter)))
    const csv = stringify({ header: true, columns: CSV_COLUMNS, escape_formulas: true })
    // An error of either ends both, and with them the answer.
    pipeline(rows, csv, () => undefined)
    const headers = { 'Content-Disposition': 'attachment; filename="audit-log.csv"' }
    return { status: 200, raw: { kind: 'stream', stream: csv }, headers }
  }
  const page = await listAudit(op, { limit, cursor, ...filter })
  return {
    status: 200,
    body: {
      entries: (await services.ports.nameActors(op, page.items)).map(presentAuditEntry),
      total: await countAudit(op, filter),
      next_cursor: page.nextCursor,
    },
  }
})

async function* csvRows(
  op: Operation,
  { nameActors }: LedgerPorts,
  batches: AsyncIterable<readonly AuditEntry[]>,
): AsyncGenerator<Record<string, unknown>> {
  for await (const batch of batches) {
    for (const entry of await nameActors(op, batch)) {
      const row = presentAuditEntry(entry)
      yield { ...row, payload: JSON.stringify(row.payload), by: row.by.text }
    }
  }
}

export const verifyAuditRoute = defineRoute({
  method: 'get',
  path: '/v1/account/audit-log/verify',
  operationId: 'verifyAudit',
  group: 'accounts',
  summary: 'Check the audit log of the tenant, line by line',
  description:
    'Recomputes the MAC of every line, follows the chain from the oldest to the newest, and checks the signed checkpoints on the way.',
  auth: 'key',
  scope: 'audit:read',
  namespace: 'refused',
  answers: {
    200: envelope('What the check found', VerifyAuditAnswer),
  },
}).handle(async ({ op }) => {
  const found = await verifyAudit(op)
  return {
    status: 200,
    body: {
      verified: found.ok,
      chain_length: found.total,
      ...(found.broken_at !== null && { broken_at: found.broken_at }),
      breaks: found.breaks.map(({ seq, id, reason }) => ({ seq, id, reason })),
      checkpoints: found.checkpoints,
      pruned_through: found.prunedThrough,
      head: { ...found.head },
    },
  }
})

export const getAuditRetentionRoute = defineRoute({
  method: 'get',
  path: '/v1/account/audit/retention',
  operationId: 'getAuditRetention',
  group: 'accounts',
  summary: 'Show the retention of the audit log',
  auth: 'key',
  scope: 'audit:read',
  namespace: 'refused',
  answers: {
    200: envelope(
      'For new lines, by the plan in force. Lines of a larger plan keep its days; expired lines are removed up to a signed checkpoint',
      GetAuditRetentionAnswer,
    ),
  },
}).handle(async ({ services, principal }) => ({
  status: 200,
  body: { tier: principal.plan, retention_days: auditDaysOf(principal.plan, services.limits) },
}))
