import { z } from 'zod'
import { listLiveKeys } from '../../../db/accounts/keys/list-keys.ts'
import { reissueKey } from '../../../db/accounts/keys/reissue-key.ts'
import { rotatePrimaryKey } from '../../../db/accounts/keys/rotate-primary-key.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { presentKey } from './views.ts'
import {
  CreateKeyAnswer,
  CreateKeyBody,
  ListKeysAnswer,
  ReissueKeyAnswer,
  RotateKeyAnswer,
} from '../../../core/accounts/wire/keys/primary.ts'
import { defineRoute } from '../services.ts'

const ROTATION =
  'The previous key stops working at once, on every process, and so do the sessions that it opened, except the one of this call. Only for callers who may do everything, since the new key may.'

export const rotateKeyRoute = defineRoute({
  method: 'post',
  path: '/v1/account/rotate-key',
  operationId: 'rotateKey',
  group: 'accounts',
  summary: 'Replace the primary key, which keeps its label',
  description: ROTATION,
  auth: 'key',
  scope: 'account:keys:write',
  namespace: 'refused',
  stores: 'bounded',
  answers: { 200: envelope('The new key', RotateKeyAnswer) },
}).handle(async ({ op, services, principal: { memberId, sessionId } }) => {
  const { apiKey, key, replacedKeyId } = await rotatePrimaryKey(op, { memberId, sessionId })
  if (replacedKeyId !== null) forgetCredential(services, replacedKeyId)
  return { status: 200, body: { api_key: apiKey, key_prefix: presentKey(key, op.now()).key_prefix } }
})

export const listKeysRoute = defineRoute({
  method: 'get',
  path: '/v1/account/keys',
  operationId: 'listKeys',
  group: 'accounts',
  summary: 'List the active keys, the primary key first',
  auth: 'key',
  scope: 'account:keys:read',
  namespace: 'refused',
  answers: { 200: envelope('Without their secrets', ListKeysAnswer) },
}).handle(async ({ op }) => {
  const keys = await listLiveKeys(op)
  return { status: 200, body: { keys: keys.map((key) => presentKey(key, op.now())) } }
})

export const createKeyRoute = defineRoute({
  method: 'post',
  path: '/v1/account/keys',
  operationId: 'createKey',
  group: 'accounts',
  summary: 'Replace the primary key, with a label for the new one',
  description: ROTATION,
  auth: 'key',
  scope: 'account:keys:write',
  namespace: 'refused',
  stores: 'bounded',
  body: CreateKeyBody,
  answers: {
    200: envelope('The new key', CreateKeyAnswer),
  },
}).handle(async ({ op, services, principal: { memberId, sessionId }, body: { label } }) => {
  const { apiKey, key, replacedKeyId } = await rotatePrimaryKey(op, { label, memberId, sessionId })
  if (replacedKeyId !== null) forgetCredential(services, replacedKeyId)
  const { key_prefix } = presentKey(key, op.now())
  return { status: 200, body: { api_key: apiKey, key_prefix, label, rotated_primary: true } }
})

export const reissueKeyRoute = defineRoute({
  method: 'delete',
  path: '/v1/account/keys/{prefix}',
  operationId: 'reissueKey',
  group: 'accounts',
  summary: 'Replace the key with this prefix',
  description:
    'The key stops working immediately. Its replacement has the same scopes, label, team and expiry. The caller needs all permissions of the key; for the key of another member, the caller needs every permission.',
  auth: 'key',
  scope: 'account:keys:write',
  namespace: 'refused',
  params: z.object({
    prefix: z
      .string()
      .max(200)
      .meta({ example: `ks_${'0'.repeat(12)}` }),
  }),
  answers: {
    200: envelope('The key in its place', ReissueKeyAnswer),
  },
  errors: ['ambiguous_prefix', 'forbidden'],
}).handle(async ({ op, services, principal: { memberId, sessionId }, params: { prefix } }) => {
  const { apiKey, key, replacedKeyId } = await reissueKey(op, { prefix, memberId, sessionId })
  if (replacedKeyId !== null) forgetCredential(services, replacedKeyId)
  const view = presentKey(key, op.now())
  return {
    status: 200,
    body: { new_api_key: apiKey, key_prefix: view.key_prefix, replaced_key_id: replacedKeyId, record: view },
  }
})
