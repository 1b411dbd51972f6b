import type { z } from 'zod'
import { presetNameOf } from '../../../core/accounts/key-scopes/scope-presets.ts'
import type { ApiKey } from '../../../db/accounts/keys/api-key.ts'
import { shownPrefix } from '../../../db/accounts/keys/find-key.ts'
import type { KeyView } from '../../../core/accounts/wire/keys/key-view.ts'

const DAY_MS = 86_400_000

/** Presents a key as of a time. */
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
    preset: presetNameOf(key.scopes),
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
