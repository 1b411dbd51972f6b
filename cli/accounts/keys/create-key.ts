import type { z } from 'zod'
import { MintScopedKeyAnswer, type NewScopedKey } from '../../../core/accounts/wire/keys/scoped.ts'
import { scopesOfPreset, type PresetId } from '../../../core/accounts/key-scopes/scope-presets.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { formatFacts, formatTime } from '../../terminal/table.ts'

/** Properties of a new key. */
export interface CreateKeyFlags {
  readonly preset?: PresetId
  /** Added to those of the preset. */
  readonly scope?: readonly string[]
  readonly label?: string
  readonly days?: number
  readonly expires?: string
  readonly team?: string
}

/** `svc keys create`: the only place where the key is ever shown. Throws a usage error without a preset or a scope. */
export async function createKey(context: CliContext, flags: CreateKeyFlags): Promise<void> {
  const { preset, scope = [], label, days, expires, team } = flags
  const scopes = [...new Set([...(preset === undefined ? [] : scopesOfPreset(preset)), ...scope])]
  if (scopes.length === 0)
    throw usageError('a key needs scopes: --preset ci, or --scope run (svc keys scopes lists them)')
  const client = await context.client()
  const answer = await client.call('/v1/account/scoped-keys', MintScopedKeyAnswer, {
    method: 'POST',
    json: { scopes, label, ttl_days: days, expires_at: expires, team_id: team } satisfies z.input<typeof NewScopedKey>,
  })
  const { id, api_key: key, expires_at: end } = answer
  context.output.result(answer, () =>
    [
      formatFacts([
        ['key', key],
        ['id', id],
        ['scopes', answer.scopes.join(' ')],
        [
          'ends',
          end === null ? `never; ${answer.recommended_ttl_days} days are recommended (--days)` : formatTime(end),
        ],
      ]),
      'shown only once, and not stored',
    ].join('\n'),
  )
}
