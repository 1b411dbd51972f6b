import { z } from 'zod'
import { idOf } from '../../kernel/wire/ids.ts'
import { textUpTo } from '../../kernel/wire/text.ts'

/** The id of a stored provider key. */
export const ProviderKeyId = idOf('pk', 'Id of a stored provider key')

/** The id of a team. */
export const TeamId = idOf('team', 'Id of a team')

/** A stored provider key, without its value. */
export const ProviderKeyView = z
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

/** Answer of `GET /v1/account/provider-keys`. */
export const ListProviderKeysAnswer = z.object({
  keys: z.array(ProviderKeyView),
  providers: z.array(z.object({ id: z.string(), label: z.string() })),
})

/** A provider key to store. */
export const NewProviderKey = z
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
    error: 'is required with the scope team, and allowed only with it',
  })
  .meta({ override: { anyOf: [{ required: ['value'] }, { required: ['key'] }] } })

/** Answer of `POST /v1/account/provider-keys`. */
export const StoreProviderKeyAnswer = z.object({ key: ProviderKeyView })

/** Answer of `DELETE /v1/account/provider-keys/{id}`. */
export const DeleteProviderKeyAnswer = z.object({ deleted: ProviderKeyId })
