import { z } from 'zod'
import { JsonValue } from '../../kernel/wire/values.ts'
import { NextCursor } from '../../kernel/wire/page.ts'
import { Plan } from '../../kernel/wire/tenant.ts'

/** A line of the audit ledger. */
export const AuditEntryView = z
  .object({
    id: z.string(),
    seq: z.int().meta({ description: 'Place in the chain, from 1' }),
    at: z.iso.datetime(),
    actor: z.string().meta({ description: 'Kind and id, as `key:key_…`, `session:ses_…`, `system:<name>`' }),
    op: z.string().meta({ description: 'The action, `resource.verb`' }),
    target: z.string().nullable().meta({ description: 'Id of the affected resource' }),
    request_id: z.string(),
    payload: z.record(z.string(), JsonValue),
    key_id: z.string(),
    prev_hash: z.string(),
    event_hash: z.string().meta({ description: 'HMAC over all the other columns' }),
  })
  .meta({ id: 'AuditEntry' })

/** Answer of `GET /v1/account/audit-log`. */
export const ListAuditAnswer = z.object({
  entries: z.array(AuditEntryView),
  total: z.int().meta({ description: 'Lines on all pages' }),
  next_cursor: NextCursor,
})

/** Answer of `GET /v1/account/audit-log/verify`. */
export const VerifyAuditAnswer = z.object({
  verified: z.boolean(),
  chain_length: z.int().meta({ description: 'Lines that were checked' }),
  broken_at: z.int().optional().meta({ description: 'Number of the first line that does not fit' }),
  breaks: z
    .array(z.object({ seq: z.int().nullable(), id: z.string().nullable(), reason: z.string() }))
    .meta({ description: 'The first hundred places that do not fit' }),
  checkpoints: z.int().meta({ description: 'Signed checkpoints that agree' }),
  pruned_through: z.int().meta({ description: 'Lines up to here were removed after their retention period' }),
  head: z.object({ seq: z.int(), event_hash: z.string() }),
})

/** Answer of `GET /v1/account/audit/retention`. */
export const GetAuditRetentionAnswer = z.object({ tier: Plan, retention_days: z.number() })
