import { z } from 'zod'
import { listScopedKeys } from '../../../db/accounts/keys/list-keys.ts'
import { mintScopedKey } from '../../../db/accounts/keys/mint-scoped-key.ts'
import { revokeKey } from '../../../db/accounts/keys/revoke-key.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'
import { idOf } from '../../kernel/schemas/ids.ts'
import { NextCursor, pageOf } from '../../kernel/schemas/page.ts'
import { textUpTo } from '../../kernel/schemas/text.ts'
import { KeyId, KeyView, Prefix, presentKey, ShownOnce } from './views.ts'

const RECOMMENDED_TTL_DAYS = 90
const MOST_DAYS = 3650

const NewScopedKey = z
  .object({
    scopes: z
      .array(z.string().max(100))
      .min(1)
      .max(100)
      .meta({ description: 'Published scopes, families such as `compile:*`, `*`, and `namespace:<slug>`' }),
    label: textUpTo(80).nullable().default(null),
    ttl_days: z.number().positive().max(MOST_DAYS).optional().meta({ description: 'Days the key is good for' }),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: 'When it ends; not beside `ttl_days`' }),
    team_id: idOf('team', 'The team whose usage its calls are').optional(),
  })
  .refine(({ ttl_days, expires_at }) => ttl_days === undefined || expires_at === undefined, {
    path: ['expires_at'],
    error: 'give ttl_days or expires_at, not both',
  })
  .meta({ override: { not: { required: ['ttl_days', 'expires_at'] } } })

export const mintScopedKeyRoute = defineRoute({
  method: 'post',
  path: '/v1/account/scoped-keys',
  operationId: 'mintScopedKey',
  group: 'accounts',
  summary: 'Make a key that may do less',
  description:
    'Nobody hands out what they do not hold: neither scopes nor time. A key that is made with one that ends, ends with it.',
  auth: 'key',
  scope: 'account:keys:write',
  namespace: 'bounded',
  stores: 'bounded',
  body: NewScopedKey,
  answers: {
    200: envelope(
      'The new key',
      z.object({
        id: KeyId,
        api_key: ShownOnce,
        key_prefix: Prefix,
        scopes: z.array(z.string()),
        label: z.string().nullable(),
        team_id: z.string().nullable(),
        expires_at: z.iso.datetime().nullable(),
        recommended_ttl_days: z.int(),
      }),
    ),
  },
  errors: ['unknown_scope', 'too_many_keys', 'not_found', 'forbidden'],
}).handle(async ({ op, services, principal, body }) => {
  const { apiKey, key } = await mintScopedKey(op, {
    scopes: body.scopes,
    label: body.label,
    ttlDays: body.ttl_days,
    expiresAt: body.expires_at === undefined ? undefined : new Date(body.expires_at),
    teamId: body.team_id,
    memberId: principal.memberId,
    limits: services.limits,
  })
  const { id, key_prefix, scopes, label, team_id, expires_at } = presentKey(key, op.now())
  return {
    status: 200,
    body: {
      id,
      api_key: apiKey,
      key_prefix,
      scopes,
      label,
      team_id,
      expires_at,
      recommended_ttl_days: RECOMMENDED_TTL_DAYS,
    },
  }
})

export const listScopedKeysRoute = defineRoute({
  method: 'get',
  path: '/v1/account/scoped-keys',
  operationId: 'listScopedKeys',
  group: 'accounts',
  summary: 'The scoped keys, newest first, those that have ended among them',
  auth: 'key',
  scope: 'account:keys:read',
  namespace: 'refused',
  query: pageOf(200),
  answers: {
    200: envelope('Without their secrets', z.object({ keys: z.array(KeyView), next_cursor: NextCursor })),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const page = await listScopedKeys(op, query)
  return {
    status: 200,
    body: { keys: page.items.map((key) => presentKey(key, op.now())), next_cursor: page.nextCursor },
  }
})

export const revokeScopedKeyRoute = defineRoute({
  method: 'delete',
  path: '/v1/account/scoped-keys/{id}',
  operationId: 'revokeScopedKey',
  group: 'accounts',
  summary: 'Revoke a scoped key',
  description: 'It stops working at once, on every process, and so do the sessions that were opened with it.',
  auth: 'key',
  scope: 'account:keys:write',
  namespace: 'refused',
  params: z.object({ id: KeyId }),
  answers: {
    200: envelope(
      'Done',
      z.object({ revoked: z.boolean().meta({ description: 'False when it had been revoked before' }) }),
    ),
  },
}).handle(async ({ op, services, params: { id } }) => {
  const { isFirst } = await revokeKey(op, { keyId: id, kind: 'scoped' })
  forgetCredential(services, id)
  return { status: 200, body: { revoked: isFirst } }
})
