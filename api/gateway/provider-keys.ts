import { z } from 'zod'
import { VAULT_PROVIDERS } from '../../core/gateway/providers/provider-catalog.ts'
import { deleteProviderKey } from '../../db/gateway/provider-keys/delete-provider-key.ts'
import { listProviderKeys } from '../../db/gateway/provider-keys/list-provider-keys.ts'
import type { ProviderKey } from '../../db/gateway/provider-keys/provider-key.ts'
import { storeProviderKey } from '../../db/gateway/provider-keys/store-provider-key.ts'
import { envelope } from '../kernel/reply/answers.ts'
import {
  DeleteProviderKeyAnswer,
  ListProviderKeysAnswer,
  NewProviderKey,
  ProviderKeyId,
  type ProviderKeyView,
  StoreProviderKeyAnswer,
  TeamId,
} from '../../core/gateway/wire/provider-keys.ts'
import { defineRoute } from './services.ts'

function presentProviderKey(key: ProviderKey): z.input<typeof ProviderKeyView> {
  return {
    id: key.id,
    tenant_id: key.tenantId,
    scope: key.scope,
    member_id: key.memberId ?? null,
    team_id: key.teamId ?? null,
    provider: key.provider,
    label: key.label ?? null,
    key_prefix: key.prefix,
    fingerprint: key.fingerprint,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    value_included: false,
    encrypted_at_rest: true,
  }
}

export const listProviderKeysRoute = defineRoute({
  method: 'get',
  path: '/v1/account/provider-keys',
  operationId: 'listProviderKeys',
  group: 'accounts',
  summary: 'List the keys of model providers that the caller may use, without their values',
  description:
    'The keys of the caller and of their teams; for administrators all keys. With `team_id` only the keys of the team.',
  auth: 'key',
  scope: 'provider_keys:read',
  namespace: 'refused',
  query: z.object({ team_id: TeamId.optional() }),
  answers: {
    200: envelope('The keys, newest first, and the providers that keys can be stored for', ListProviderKeysAnswer),
  },
  errors: ['not_found', 'forbidden'],
}).handle(async ({ op, principal, query }) => {
  const keys = await listProviderKeys(op, { memberId: principal.memberId, teamId: query.team_id })
  return { status: 200, body: { keys: keys.map(presentProviderKey), providers: [...VAULT_PROVIDERS] } }
})

export const storeProviderKeyRoute = defineRoute({
  method: 'post',
  path: '/v1/account/provider-keys',
  operationId: 'storeProviderKey',
  group: 'accounts',
  summary: 'Store a key of a model provider, sealed',
  description:
    'Replaces the previous key of the same member or team for the provider. The value is never shown again. Only admins of a team store its keys.',
  auth: 'key',
  scope: 'provider_keys:write',
  namespace: 'refused',
  stores: 'bounded',
  body: NewProviderKey,
  answers: { 200: envelope('What is shown of it', StoreProviderKeyAnswer) },
  errors: ['bad_provider', 'invalid_value', 'not_found', 'forbidden', 'too_many_keys'],
}).handle(async ({ op, principal, services, body }) => {
  const key = await storeProviderKey(op, {
    provider: body.provider,
    value: body.value ?? body.key ?? '',
    label: body.label,
    teamId: body.team_id,
    memberId: principal.memberId,
    limits: services.limits,
  })
  services.vault.forget(op.tenantId)
  return { status: 200, body: { key: presentProviderKey(key) } }
})

export const deleteProviderKeyRoute = defineRoute({
  method: 'delete',
  path: '/v1/account/provider-keys/{id}',
  operationId: 'deleteProviderKey',
  group: 'accounts',
  summary: 'Remove a stored key of a model provider',
  auth: 'key',
  scope: 'provider_keys:write',
  namespace: 'refused',
  params: z.object({ id: ProviderKeyId }),
  answers: { 200: envelope('Done', DeleteProviderKeyAnswer) },
  errors: ['forbidden'],
}).handle(async ({ op, principal, services, params: { id } }) => {
  await deleteProviderKey(op, { id, memberId: principal.memberId })
  services.vault.forget(op.tenantId)
  return { status: 200, body: { deleted: id } }
})
