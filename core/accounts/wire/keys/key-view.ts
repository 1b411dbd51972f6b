import { z } from 'zod'
import { idOf } from '../../../kernel/wire/ids.ts'

/** The id of a key. */
export const KeyId = idOf('key', 'Id of a key')

/** The public part of a key. */
export const Prefix = z.string().meta({ description: 'The public part of the key, which identifies it' })

/** The text of a new key. */
export const ShownOnce = z.string().meta({ description: 'The key. It is shown only once and not stored' })

/** A key that is not shown. */
export const KeyView = z
  .object({
    id: KeyId,
    prefix: Prefix,
    key_prefix: Prefix,
    label: z.string().nullable(),
    scopes: z.array(z.string()),
    preset: z.string().nullable().meta({ description: 'Name of the preset that has exactly these scopes' }),
    member_id: z.string().nullable(),
    team_id: z.string().nullable(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable(),
    expires_in_days: z.int().nullable(),
    expired: z.boolean(),
    revoked: z.boolean(),
    active: z.boolean(),
    primary: z.boolean(),
  })
  .meta({ id: 'ApiKey' })
export type KeyView = z.input<typeof KeyView>
