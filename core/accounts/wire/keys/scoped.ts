import { z } from 'zod'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { idOf } from '../../../kernel/wire/ids.ts'
import { KeyId, KeyView, Prefix, ShownOnce } from './key-view.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

const MOST_DAYS = 3650

/** Body of `POST /v1/account/scoped-keys`. */
export const NewScopedKey = z
  .object({
    scopes: z
      .array(z.string().max(100))
      .min(1)
      .max(100)
      .meta({ description: 'Published scopes, families such as `compile:*`, `*`, and `namespace:<slug>`' }),
    label: textUpTo(80).nullable().default(null),
    ttl_days: z.number().positive().max(MOST_DAYS).optional().meta({ description: 'Days until the key expires' }),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: 'When it expires; not together with `ttl_days`' }),
    team_id: idOf('team', 'The team that its calls count towards').optional(),
  })
  .refine(({ ttl_days, expires_at }) => ttl_days === undefined || expires_at === undefined, {
    path: ['expires_at'],
    error: 'give ttl_days or expires_at, not both',
  })
  .meta({ override: { not: { required: ['ttl_days', 'expires_at'] } } })

/** Answer of `POST /v1/account/scoped-keys`. */
export const MintScopedKeyAnswer = z.object({
  id: KeyId,
  api_key: ShownOnce,
  key_prefix: Prefix,
  scopes: z.array(z.string()),
  label: z.string().nullable(),
  team_id: z.string().nullable(),
  expires_at: z.iso.datetime().nullable(),
  recommended_ttl_days: z.int(),
})

/** Answer of `GET /v1/account/scoped-keys`. */
export const ListScopedKeysAnswer = z.object({ keys: z.array(KeyView), next_cursor: NextCursor })

/** Answer of `DELETE /v1/account/scoped-keys/{id}`. */
export const RevokeScopedKeyAnswer = z.object({
  revoked: z.boolean().meta({ description: 'False when it had been revoked before' }),
})
