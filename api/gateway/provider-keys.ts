import { z } from 'zod'
import { MODEL_PROVIDERS } from '../../core/gateway/provider-catalog.ts'
import { deleteProviderKey } from '../../db/gateway/provider-keys/delete-provider-key.ts'
import { listProviderKeys } from '../../db/gateway/provider-keys/list-provider-keys.ts'
import type { ProviderKey } from '../../db/gateway/provider-keys/provider-key.ts'
import { storeProviderKey } from '../../db/gateway/provider-keys/store-provider-key.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute } from '../kernel/route.ts'
import { idOf } from '../kernel/schemas/ids.ts'
import { textUpTo } from '../kernel/schemas/text.ts'

const ProviderKeyId = idOf('pk', 'Id of a stored provider key')
const TeamId = idOf('team', 'Id of a team')

const ProviderKeyView = z
  .object({
    id: ProviderKeyId,
    tenant_id: z.string(),
    scope: z.enum(['member', 'team']),
    member_id: z.string().nullable(),
    team_id: z.string().nullable(),
    provider: z.string(),
    label: z.string().nullable(),
    key_prefix: z.string().meta({ description: 'Its first characters, at most a quarter of it' }),
    fingerprint: z.string().meta({ description: 'Tells two values apart; made with a key of the service' }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    value_included: z.literal(false),
    encrypted_at_rest: z.literal(true),
  })
  .meta({ id: 'ProviderKey' })

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
  summary: 'The keys of model providers that the caller may use, without their values',
  description:
    'Own keys and those of own teams; all of them for administrators. With `team_id` only those of the team.',
  auth: 'key',
  scope: 'provider_keys:read',
  namespace: 'refused',
  query: z.object({ team_id: TeamId.optional() }),
  answers: {
    200: envelope(
      'The keys, newest first, and the providers that keys can be stored for',
      z.object({
        keys: z.array(ProviderKeyView),
        providers: z.array(z.object({ id: z.string(), label: z.string() })),
      }),
    ),
  },
  errors: ['not_found', 'forbidden'],
}).handle(async ({ op, principal, query }) => {
  const keys = await listProviderKeys(op, { memberId: principal.memberId, teamId: query.team_id })
  return { status: 200, body: { keys: keys.map(presentProviderKey), providers: [...MODEL_PROVIDERS] } }
})

const NewProviderKey = z
  .object({
    provider: z.string().max(40).meta({ description: 'One of the providers that the list names' }),
    value: z.string().max(5000).optional().meta({ description: 'The key; required' }),
    key: z.string().max(5000).optional().meta({ description: 'Another name of `value`' }),
    label: textUpTo(80).nullable().default(null),
    scope: z.enum(['member', 'team']).default('member').meta({ description: 'Whose it is' }),
    team_id: TeamId.optional().meta({ description: 'The team that shares it, with scope `team`' }),
  })
  .refine(({ value, key }) => value !== undefined || key !== undefined, { path: ['value'], error: 'is required' })
  .refine(({ value, key }) => value === undefined || key === undefined || value === key, {
    path: ['key'],
    error: 'differs from value',
  })
  .refine(({ scope, team_id }) => (scope === 'team') === (team_id !== undefined), {
    path: ['team_id'],
    error: 'goes with the scope team, and only with it',
  })
  .meta({ override: { anyOf: [{ required: ['value'] }, { required: ['key'] }] } })

export const storeProviderKeyRoute = defineRoute({
  method: 'post',
  path: '/v1/account/provider-keys',
  operationId: 'storeProviderKey',
  group: 'accounts',
  summary: 'Store a key of a model provider, sealed',
  description:
    'It takes the place of the one that the same member or team had for the provider. The value is never shown again. The keys of a team are stored by its administrators.',
  auth: 'key',
  scope: 'provider_keys:write',
  namespace: 'refused',
  stores: 'bounded',
  body: NewProviderKey,
  answers: { 200: envelope('What is shown of it', z.object({ key: ProviderKeyView })) },
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
  answers: { 200: envelope('Done', z.object({ deleted: ProviderKeyId })) },
  errors: ['forbidden'],
}).handle(async ({ op, principal, params: { id } }) => {
  await deleteProviderKey(op, { id, memberId: principal.memberId })
  return { status: 200, body: { deleted: id } }
})
