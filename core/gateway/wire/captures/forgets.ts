import { z } from 'zod'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { NextCursor, pageQuery } from '../../../kernel/wire/page.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { FORGET_REASONS } from '../../captures/forget/certificate.ts'
import { CaptureNamespace } from './fields.ts'

/** Captures that one call forgets while it waits; more are forgotten by a workflow. */
export const MOST_AT_ONCE = 500
/** Captures that one call names at most. */
const MOST_NAMED = 10_000

/** Captures, subjects or patterns to forget. */
export const ForgetCapturesBody = z
  .object({
    confirm: z.literal(true, { error: 'must be true: what is forgotten cannot be restored' }),
    capture_id: z.string().min(1).max(64).optional().meta({ example: 'cap_0123456789abcdefghjkmnpqrs' }),
    capture_ids: z.array(z.string().min(1).max(64)).min(1).max(MOST_NAMED).optional(),
    subject: textUpTo(256).optional().meta({
      description:
        'Words, such as a name or an address: captures that hold them in a row, whatever the case, are forgotten',
      example: 'Ada Lovelace',
    }),
    pattern: textUpTo(256).optional().meta({
      description: 'As in guardrails: `keyword:…`, `glob:…` or a regular expression in RE2 syntax',
    }),
    reason: textUpTo(256)
      .default('other')
      .meta({ description: `${FORGET_REASONS.join(', ')}, or a text`, example: 'user_request' }),
    namespace: CaptureNamespace.optional().meta({
      description: 'Only captures of this namespace; not for a subject or a pattern',
    }),
  })
  .refine(
    ({ capture_id, capture_ids, subject, pattern }) =>
      [capture_id, capture_ids, subject, pattern].filter((each) => each !== undefined).length === 1,
    { path: ['capture_id'], error: 'name one of capture_id, capture_ids, subject and pattern' },
  )
  .refine(({ namespace, subject, pattern }) => namespace === undefined || (subject ?? pattern) === undefined, {
    path: ['namespace'],
    error: 'must be absent: a subject or a pattern is forgotten in all namespaces',
  })
  .meta({
    id: 'ForgetCaptures',
    override: { oneOf: ['capture_id', 'capture_ids', 'subject', 'pattern'].map((name) => ({ required: [name] })) },
    example: { confirm: true, capture_id: 'cap_0123456789abcdefghjkmnpqrs', reason: 'user_request' },
  })
/** Captures, subjects or patterns to forget. */
export type ForgetCapturesBody = z.infer<typeof ForgetCapturesBody>

const Marker = z
  .object({
    capture_id: z.string(),
    capture_id_hash: z.string(),
    forgotten_at: z.iso.datetime(),
    reason: z.string(),
    requested_by: z.string(),
    audit_event_id: z.string(),
    namespace: z.string(),
    tombstone_hash: z.string(),
    deletion_certificate: JsonValue.meta({ description: 'The signed certificate `svc-capture-deletion-1`' }),
  })
  .meta({ id: 'ForgottenCapture', description: 'A capture that was erased' })
/** A capture that was erased. */
export type Marker = z.infer<typeof Marker>

/** The erased captures. */
export const ForgetCapturesAnswer = z.object({
  count: z.int().meta({ description: 'Captures that this call erased' }),
  idempotent_hit: z.boolean().meta({ description: 'True when all of them were forgotten before' }),
  markers: z.array(Marker),
  not_found: z.array(z.string()),
  requires_redistill: z.boolean().meta({ description: 'Whether an artifact is known to have learned from them' }),
  version: z.literal('svc-forget-1'),
})

const Forget = z
  .object({
    forget_id: z.string(),
    kind: z.enum(['ids', 'subject', 'pattern']),
    namespace: z.string().nullable(),
    state: z.enum(['running', 'done']),
    forgotten: z.int(),
    conversations: z.int().meta({ description: 'Stored conversations that were erased' }),
    reason: z.string(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'CaptureForget', description: 'Work that forgets many captures' })

/** Work that was begun. */
export const ForgetBegunAnswer = z.object({ forget: Forget })

/** The answer to a request to forget. */
export const ForgetAnswer = z.union([ForgetCapturesAnswer, ForgetBegunAnswer])

/** The query of forgotten captures. */
export const ForgottenQuery = pageQuery(100, 500).extend({ namespace: CaptureNamespace.optional() })

/** Forgotten captures, newest first, and the work that forgets. */
export const ForgottenAnswer = z.object({
  n: z.int(),
  markers: z.array(Marker),
  next_cursor: NextCursor,
  forgets: z.array(Forget).meta({ description: 'The newest twenty requests for many captures' }),
  version: z.literal('svc-forget-1'),
})
