import { z } from 'zod'
import { ACTOR_KINDS, ACTOR_MEANS } from '../actors/actor-refs.ts'
import { JsonValue } from '../../kernel/wire/values.ts'
import { NextCursor } from '../../kernel/wire/page.ts'
import { Plan } from '../../kernel/wire/tenant.ts'

const AuditMember = z.object({ id: z.string(), name: z.string().nullable(), email: z.string() }).meta({
  id: 'AuditMember',
  description: 'The person who acted, or the holder of the key, as the account knows them today',
})

const AuditKey = z
  .object({ id: z.string(), prefix: z.string(), label: z.string().nullable() })
  .meta({ id: 'AuditKey', description: 'The key of the call, or the one that opened its session' })

/** The actor in words and as fields. */
export const AuditActor = z
  .object({
    text: z.string().meta({ description: 'Who acted and by what means', example: 'Ada, from a browser' }),
    kind: z.enum(ACTOR_KINDS),
    means: z.enum(ACTOR_MEANS).nullable(),
    member: AuditMember.nullable(),
    key: AuditKey.nullable(),
  })
  .meta({ id: 'AuditActor' })

/** A line of the audit ledger. */
export const AuditEntryView = z
  .object({
    id: z.string(),
    seq: z.int().meta({ description: 'Place in the chain, from 1' }),
    at: z.iso.datetime(),
    actor: z.string().meta({ description: 'Kind and id, as `key:key_…`, `session:ses_…`, `system:<name>`' }),
    by: AuditActor.meta({ description: 'The actor in words and as fields; not part of the chain' }),
    sentence: z.string().meta({
      description: 'Who did what, for people; not part of the chain',
      example: 'Ada, from a browser, revoked a key',
    }),
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
