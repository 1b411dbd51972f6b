import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { LEDGER_ERRORS } from '../../../core/ledger/errors.ts'
import { VAULT_PROVIDERS } from '../../../core/gateway/providers/provider-catalog.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { administrates, requireOwnTeam, vaultCaller } from './holder.ts'
import { notify } from '../../kernel/queries/typed.ts'
import { ProviderKeyEntity, type ProviderKey } from './provider-key.ts'
import { fingerprintOf, providerKeyScope, shownBeginning } from './seal-value.ts'

/** A key to store. */
export interface StoreProviderKeyInput {
  readonly provider: string
  readonly value: string
  readonly label: string | null
  /** The team that shares it; absent for the caller's own. */
  readonly teamId?: string | undefined
  readonly memberId: string | null
  readonly limits: Limits
}

/** Allowed form of every provider's keys: no character that could break out of a header. */
const VALUE = /^[\x21-\x7e]{8,4096}$/

/**
 * Stores a key of the caller, or of a team that the caller administrates, for one provider; a second one for the same
 * provider replaces the first. The value is sealed and never shown again. Throws `bad_provider`, `invalid_value`,
 * `not_found` and `forbidden` for the team, and `too_many_keys`.
 */
export async function storeProviderKey(op: Operation, input: StoreProviderKeyInput): Promise<ProviderKey> {
  requireScope(op, 'provider_keys:write')
  const { provider, value, label, teamId, memberId } = input
  if (!VAULT_PROVIDERS.some(({ id }) => id === provider))
    throw invalidField('provider', 'is not a provider of the catalog', GATEWAY_ERRORS.bad_provider)
  if (!VALUE.test(value)) {
    throw invalidField(
      'value',
      'must be 8 to 4096 printable ASCII characters without spaces',
      ACCOUNTS_ERRORS.invalid_value,
    )
  }
  return await op.write(async (tx) => {
    const caller = await vaultCaller(tx, op, memberId)
    if (teamId !== undefined) {
      await requireOwnTeam(tx, op.tenantId, teamId)
      if (!administrates(caller, teamId))
        throw ACCOUNTS_ERRORS.forbidden('only administrators of a team store its keys')
    }
    const holderId = teamId ?? memberId
    if (holderId === null) throw ACCOUNTS_ERRORS.forbidden('a provider key needs a member or a team that holds it')
    await lockInTransaction(tx, `provider keys ${op.tenantId}`)
    const scope = teamId === undefined ? ('member' as const) : ('team' as const)
    const known = await tx.em.findOne(ProviderKeyEntity, { scope, holderId, provider })
    if (known === null) await requireRoom(tx, op.tenantId, input.limits.provider_keys_per_tenant)
    const { tenantId } = op
    const now = op.now()
    const id = known?.id ?? newId('pk')
    const content = {
      label,
      prefix: shownBeginning(value),
      fingerprint: fingerprintOf(await serviceKey(op.db, 'fingerprint', tx), tenantId, value),
      sealedValue: Buffer.from(op.db.secrets.seal(Buffer.from(value), providerKeyScope({ tenantId, id, provider }))),
      updatedAt: now,
    }
    const key =
      known === null
        ? tx.em.create(ProviderKeyEntity, {
            ...content,
            id,
            tenantId,
            scope,
            holderId,
            memberId: teamId === undefined ? memberId : null,
            teamId: teamId ?? null,
            provider,
            createdAt: now,
          })
        : tx.em.assign(known, content)
    await tx.q.selectNoFrom(notify('svc_provider_keys', tenantId).as('notified')).execute()
    await recordAudit(tx, op, {
      action: 'provider_key.stored',
      target: id,
      payload: { provider, scope, holder_id: holderId, is_replacement: known !== null },
    })
    return key
  })
}

async function requireRoom(tx: Transaction, tenantId: string, most: number): Promise<void> {
  const row = await tx.q
    .selectFrom('provider_keys')
    .select(tx.q.fn.countAll<number>().as('stored'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  if ((row?.stored ?? 0) < most) return
  throw LEDGER_ERRORS.too_many_keys(`there are ${most} provider keys already; remove one first`)
}
