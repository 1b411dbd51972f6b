import { pipeline, Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import { z } from 'zod'
import { INSTANT, parseInstant } from '../../core/kernel/since.ts'
import { auditDaysOf } from '../../core/kernel/tenant/audit-days.ts'
import type { AuditEntry } from '../../db/ledger/audit/audit-entry.ts'
import { countAudit, listAudit, streamAudit } from '../../db/ledger/audit/list-audit.ts'
import { verifyAudit } from '../../db/ledger/audit/verify-audit.ts'
import { envelope, envelopeOr, JsonValue } from '../kernel/reply/answers.ts'
import { defineRoute } from './services.ts'
import { NextCursor, pageQuery } from '../kernel/schemas/page.ts'
import { Plan } from '../kernel/schemas/tenant.ts'

const AuditEntryView = z
  .object({
    id: z.string(),
    seq: z.int().meta({ description: 'Place in the chain, from 1' }),
    at: z.iso.datetime(),
    actor: z.string().meta({ description: 'Kind and id, as `key:key_…`, `session:ses_…`, `system:<name>`' }),
    op: z.string().meta({ description: 'What was done, `resource.verb`' }),
    target: z.string().nullable().meta({ description: 'Id of what it was done to' }),
    request_id: z.string(),
    payload: z.record(z.string(), JsonValue),
    key_id: z.string(),
    prev_hash: z.string(),
    event_hash: z.string().meta({ description: 'HMAC over all the other columns' }),
  })
  .meta({ id: 'AuditEntry' })

/** A line of the ledger, field by field. */
export function presentAuditEntry(entry: AuditEntry): z.input<typeof AuditEntryView> {
  return {
    id: entry.id,
    seq: entry.seq,
    at: entry.at.toISOString(),
    actor: entry.actor,
    op: entry.action,
    target: entry.target ?? null,
    request_id: entry.requestId,
    payload: { ...entry.payload },
    key_id: entry.keyId,
    prev_hash: entry.prevHash,
    event_hash: entry.hash,
  }
}

const CSV_COLUMNS = ['at', 'actor', 'op', 'payload', 'target', 'request_id', 'seq', 'id', 'event_hash']

export const listAuditRoute = defineRoute({
  method: 'get',
  path: '/v1/account/audit-log',
  operationId: 'listAudit',
  group: 'accounts',
  summary: 'The own audit log, newest first',
  description:
    'As JSON one page; as CSV the whole, streamed. Cells of the CSV that a spreadsheet would take for a formula begin with an apostrophe.',
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
      .meta({ description: 'Only what was done at this time or later', override: { pattern: INSTANT.source } }),
  }),
  answers: {
    200: envelopeOr(
      'One page of lines, or all of them as CSV',
      z.object({
        entries: z.array(AuditEntryView),
        total: z.int().meta({ description: 'Lines on all pages' }),
        next_cursor: NextCursor,
      }),
      'text/csv; charset=utf-8',
    ),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query: { format, since: given, limit, cursor } }) => {
  const filter = { since: given === undefined ? undefined : parseInstant(given) }
  if (format === 'csv') {
    const rows = Readable.from(csvRows(streamAudit(op, filter)))
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
      entries: page.items.map(presentAuditEntry),
      total: await countAudit(op, filter),
      next_cursor: page.nextCursor,
    },
  }
})

async function* csvRows(entries: AsyncIterable<AuditEntry>): AsyncGenerator<Record<string, unknown>> {
  for await (const entry of entries) {
    const row = presentAuditEntry(entry)
    yield { ...row, payload: JSON.stringify(row.payload) }
  }
}

export const verifyAuditRoute = defineRoute({
  method: 'get',
  path: '/v1/account/audit-log/verify',
  operationId: 'verifyAudit',
  group: 'accounts',
  summary: 'Check the own audit log, line by line',
  description:
    'Recomputes the MAC of every line, follows the chain from the oldest to the newest, and checks the signed checkpoints on the way.',
  auth: 'key',
  scope: 'audit:read',
  namespace: 'refused',
  answers: {
    200: envelope(
      'What the check found',
      z.object({
        verified: z.boolean(),
        chain_length: z.int().meta({ description: 'Lines that were checked' }),
        broken_at: z.int().optional().meta({ description: 'Number of the first line that does not fit' }),
        breaks: z
          .array(z.object({ seq: z.int().nullable(), id: z.string().nullable(), reason: z.string() }))
          .meta({ description: 'The first hundred places that do not fit' }),
        checkpoints: z.int().meta({ description: 'Signed checkpoints that agree' }),
        pruned_through: z.int().meta({ description: 'Lines up to here were removed because their time was over' }),
        head: z.object({ seq: z.int(), event_hash: z.string() }),
      }),
    ),
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
  summary: 'How long lines of the audit log are kept',
  auth: 'key',
  scope: 'audit:read',
  namespace: 'refused',
  answers: {
    200: envelope(
      'For lines that are written now, by the plan in force. Those of a larger plan keep its days; what is over is removed up to a signed checkpoint',
      z.object({ tier: Plan, retention_days: z.number() }),
    ),
  },
}).handle(async ({ services, principal }) => ({
  status: 200,
  body: { tier: principal.plan, retention_days: auditDaysOf(principal.plan, services.limits) },
}))
