import { z } from 'zod'
import type { ApiKey } from '../../../db/accounts/keys/api-key.ts'
import { shownPrefix } from '../../../db/accounts/keys/find-key.ts'
import { idOf } from '../../../core/kernel/wire/ids.ts'

const DAY_MS = 86_400_000

export const KeyId = idOf('key', 'Id of a key')
export const Prefix = z.string().meta({ description: 'The public part of the key, by which it is told from others' })
/** The text of a new key. */
export const ShownOnce = z.string().meta({ description: 'The key. It is shown this once and kept nowhere' })

/** A key that is not shown. */
export const KeyView = z
  .object({
    id: KeyId,
    prefix: Prefix,
    key_prefix: Prefix,
    label: z.string().nullable(),
    scopes: z.array(z.string()),
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

/** A key, field by field, at a time. */
export function presentKey(key: ApiKey, now: Date): z.input<typeof KeyView> {
  const expiresAt = key.expiresAt ?? null
  const isExpired = expiresAt !== null && expiresAt <= now
  const isRevoked = (key.revokedAt ?? null) !== null
  return {
    id: key.id,
    prefix: shownPrefix(key),
    key_prefix: shownPrefix(key),
    label: key.label ?? null,
    scopes: [...key.scopes],
    member_id: key.memberId ?? null,
    team_id: key.teamId ?? null,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: expiresAt?.toISOString() ?? null,
    expires_in_days:
      expiresAt === null ? null : Math.max(Math.floor((expiresAt.getTime() - now.getTime()) / DAY_MS), 0),
    expired: isExpired,
    revoked: isRevoked,
    active: !isExpired && !isRevoked,
    primary: key.kind === 'primary',
  }
}
