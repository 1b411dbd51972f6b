import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS, invalidField } from '../../../core/kernel/errors.ts'
import { LEDGER_ERRORS } from '../../../core/ledger/errors.ts'
import type { Limits } from '../../../core/accounts/limits.ts'
import { parseScopes } from '../../../core/accounts/key-scopes/parse-scopes.ts'
import { coversScopes } from '../../../core/kernel/scopes.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { TeamEntity, TeamMemberEntity } from '../teams/team.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { ApiKeyEntity, type ApiKey } from './api-key.ts'
import { insertKey } from './insert-key.ts'
import { mintKey } from './key-text.ts'
import { lockKeys, requireLiveActor } from './live-actor.ts'

const DAY_MS = 86_400_000

/** The requested key. */
export interface MintScopedKeyInput {
  readonly scopes: readonly string[]
  readonly label: string | null
  /** Days until it ends. */
  readonly ttlDays?: number | undefined
  /** When it ends; not beside `ttlDays`. */
  readonly expiresAt?: Date | undefined
  /** The team that its calls are charged to. */
  readonly teamId?: string | undefined
  /** The member who will hold it: the caller. */
  readonly memberId: string | null
  readonly limits: Limits
}

/** A new key; its text is shown only here. */
export interface NewKey {
  readonly apiKey: string
  readonly key: ApiKey
}

/**
 * Makes a key with fewer rights. Callers can grant only scopes that they hold, and a key made with a key that ends,
 * ends with it. Throws `unknown_scope`, `insufficient_scope`, `validation_failed` for an end that is not in the future,
 * `not_found` and `forbidden` for the team, and `too_many_keys`.
 */
export async function mintScopedKey(op: Operation, input: MintScopedKeyInput): Promise<NewKey> {
  requireScope(op, 'account:keys:write')
  const scopes = parseScopes(input.scopes)
  requireCovered(op, scopes)
  const asked = askedEnd(op.now(), input)
  const minted = await mintKey(op.db.hashSlots, 'ks', op.tenantId)
  return await op.write(async (tx) => {
    await lockKeys(tx, op.tenantId)
    await requireLiveActor(tx, op)
    await requireRoom(tx, op, input.limits.scoped_keys_per_tenant)
    if (input.teamId !== undefined) await requireTeam(tx, op, input.teamId, input.memberId)
    const expiresAt = earlier(asked, await endOfActor(tx, op))
    const keyId = insertKey(tx, {
      minted,
      kind: 'scoped',
      tenantId: op.tenantId,
      memberId: input.memberId,
      teamId: input.teamId ?? null,
      scopes,
      label: input.label,
      expiresAt,
      now: op.now(),
    })
    await recordAudit(tx, op, {
      action: 'api_key.minted',
      target: keyId,
      payload: {
        scopes,
        label: input.label,
        team_id: input.teamId ?? null,
        member_id: input.memberId,
        expires_at: expiresAt?.toISOString() ?? null,
      },
    })
    return { apiKey: minted.apiKey, key: await tx.em.findOneOrFail(ApiKeyEntity, { id: keyId }) }
  })
}

/** Throws `insufficient_scope` when the caller lacks a requested scope. */
export function requireCovered(op: Pick<Operation, 'scopes'>, wanted: readonly string[]): void {
  if (op.scopes === null || coversScopes(op.scopes, wanted)) return
  const held = op.scopes
  const missing = wanted.filter((scope) => !coversScopes(held, [scope]))
  throw KERNEL_ERRORS.insufficient_scope('a new key can have only scopes that the caller has', {
    details: { required: missing.length > 0 ? missing : wanted },
  })
}

function askedEnd(now: Date, { ttlDays, expiresAt }: MintScopedKeyInput): Date | null {
  if (ttlDays !== undefined) return new Date(now.getTime() + ttlDays * DAY_MS)
  if (expiresAt === undefined) return null
  if (expiresAt <= now) throw invalidField('expires_at', 'must be in the future')
  return expiresAt
}

/** Returns the end of the call's key, or of the key behind its session; null when it does not end. */
async function endOfActor(tx: Transaction, op: Operation): Promise<Date | null> {
  const { actor } = op
  if (actor.kind !== 'key' && actor.kind !== 'session') return null
  const [row] = await tx.read((q) =>
    actor.kind === 'key'
      ? q.selectFrom('api_keys').select('expires_at as expiresAt').where('id', '=', actor.keyId)
      : q
          .selectFrom('sessions as s')
          .innerJoin('api_keys as k', 'k.id', 's.source_key_id')
          .select('k.expires_at as expiresAt')
          .where('s.id', '=', actor.sessionId),
  )
  return row?.expiresAt ?? null
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null) return other
  return other !== null && other < one ? other : one
}

async function requireRoom(tx: Transaction, op: Operation, most: number): Promise<void> {
  const [row] = await tx.read((q) =>
    q
      .selectFrom('api_keys')
      .select(q.fn.countAll<number>().as('live'))
      .where('tenant_id', '=', op.tenantId)
      .where('kind', '=', 'scoped')
      .where('revoked_at', 'is', null)
      .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', op.now())])),
  )
  if ((row?.live ?? 0) < most) return
  throw LEDGER_ERRORS.too_many_keys(`there are ${most} scoped keys already; revoke one first`)
}

/** Members charge calls to their own teams; callers who may administrate all teams, to any. */
async function requireTeam(tx: Transaction, op: Operation, teamId: string, memberId: string | null): Promise<void> {
  const team = await tx.em.findOne(TeamEntity, { id: teamId })
  if (team === null) throw KERNEL_ERRORS.not_found('no such team')
  if (op.scopes === null || coversScopes(op.scopes, ['team:admin'])) return
  const isMember = memberId !== null && (await tx.em.count(TeamMemberEntity, { teamId, memberId })) > 0
  if (!isMember) throw ACCOUNTS_ERRORS.forbidden('only members of a team can create keys for it')
}
