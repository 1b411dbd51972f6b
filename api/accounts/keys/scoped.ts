import { z } from 'zod'
import { listScopedKeys } from '../../../db/accounts/keys/list-keys.ts'
import { mintScopedKey } from '../../../db/accounts/keys/mint-scoped-key.ts'
import { revokeKey } from '../../../db/accounts/keys/revoke-key.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { KeyId } from '../../../core/accounts/wire/keys/key-view.ts'
import { presentKey } from './views.ts'
import {
  ListScopedKeysAnswer,
  MintScopedKeyAnswer,
  NewScopedKey,
  RevokeScopedKeyAnswer,
} from '../../../core/accounts/wire/keys/scoped.ts'
import { defineRoute } from '../services.ts'

const RECOMMENDED_TTL_DAYS = 90

export const mintScopedKeyRoute = defineRoute({
  method: 'post',
  path: '/v1/account/scoped-keys',
  operationId: 'mintScopedKey',
  group: 'accounts',
  summary: 'Create a key with fewer permissions',
  description:
    'The new key can hold only scopes that the caller holds, and expires no later than the key of the caller.',
  auth: 'key',
  scope: 'account:keys:write',
  namespace: 'bounded',
  stores: 'bounded',
  body: NewScopedKey,
  answers: {
    200: envelope('The new key', MintScopedKeyAnswer),
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
  summary: 'List the scoped keys, newest first, including expired and revoked ones',
  auth: 'key',
  scope: 'account:keys:read',
  namespace: 'refused',
  query: pageOf(200),
  answers: { 200: envelope('Without their secrets', ListScopedKeysAnswer) },
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
  description: 'The key and the sessions that it opened end immediately, on every process.',
  auth: 'key',
  scope: 'account:keys:write',
  namespace: 'refused',
  params: z.object({ id: KeyId }),
  answers: {
    200: envelope('Done', RevokeScopedKeyAnswer),
  },
}).handle(async ({ op, services, params: { id } }) => {
  const { isFirst } = await revokeKey(op, { keyId: id, kind: 'scoped' })
  forgetCredential(services, id)
  return { status: 200, body: { revoked: isFirst } }
})
