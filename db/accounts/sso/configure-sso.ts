import {
  changeSsoSettings,
  NO_SSO,
  protocolOf,
  type SsoChange,
  type SsoSettings,
} from '../../../core/accounts/sign-in/sso-settings.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Database } from '../../kernel/database.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'
import { rebindRoles } from '../scim/bind-roles.ts'
import { endSsoSessions } from './end-sso-sessions.ts'
import { settingsOf } from './find-sso.ts'
import { SSO_PROTOCOLS, type SsoProtocol } from './login-attempts.ts'
import { requireDirectoryRights, requireEntitled } from './may-configure.ts'
import { unpinPeople } from './pinned-people.ts'
import { SsoConfigEntity, type SsoConfig } from './sso-config.ts'

/** The changes of a call, and the plan of its tenant. */
export interface ConfigureSsoInput {
  readonly plan: PlanId
  readonly change: SsoChange
  /** The OIDC client's secret; absent keeps it, null removes it. */
  readonly clientSecret?: string | null | undefined
}

/**
 * Sets how the tenant's members sign in; absent fields stay. Sessions do not outlive the provider that opened them, nor
 * its protocol, and roles do not outlive the setting that gave them. Throws `enterprise_only`, `insufficient_scope`,
 * `identity_metadata_required` and `invalid_identity_config`. Several tenants may name one provider: its id is no
 * secret, so no tenant can reserve it.
 */
export async function configureSso(op: Operation, input: ConfigureSsoInput): Promise<SsoConfig> {
  requireEntitled(input.plan)
  requireDirectoryRights(op)
  return await op.write(async (tx) => {
    await lockInTransaction(tx, `sso ${op.tenantId}`)
    const known = await tx.em.findOne(SsoConfigEntity, { tenantId: op.tenantId })
    const before = known === null ? NO_SSO : settingsOf(known)
    const next = changeSsoSettings(before, input.change)
    const now = op.now()
    const { clientSecret } = input
    const given = {
      ...next,
      updatedAt: now,
      ...(clientSecret !== undefined && {
        sealedClientSecret:
          clientSecret === null
            ? null
            : Buffer.from(op.db.secrets.seal(Buffer.from(clientSecret), clientSecretScope(op.tenantId))),
      }),
    }
    const config =
      known === null
        ? tx.em.create(SsoConfigEntity, { tenantId: op.tenantId, createdAt: now, ...given })
        : tx.em.assign(known, given)
    await tx.em.flush()
    const left = providersLeft(before, next)
    await unpinPeople(tx, op, { protocols: left })
    const spoken = next.isEnabled ? protocolOf(next) : null
    const ended = SSO_PROTOCOLS.filter((protocol) => protocol !== spoken || left.includes(protocol))
    await endSsoSessions(tx, op, { protocols: ended })
    await rebindRoles(tx, op, { before, next })
    await recordAudit(tx, op, {
      action: 'identity.configured',
      target: op.tenantId,
      payload: {
        provider: next.provider,
        protocol: protocolOf(next),
        enabled: next.isEnabled,
        domains: [...next.domains],
        default_role: next.defaultRole,
        jit_provisioning: next.isJit,
        scim_enabled: next.isScimEnabled,
        metadata_sha256: next.metadataSha256,
        client_secret_changed: clientSecret !== undefined,
      },
    })
    return config
  })
}

/**
 * Returns the protocols whose provider changed, or identifies people differently now: OpenID ids may be bound to the
 * client.
 */
function providersLeft(before: SsoSettings, next: SsoSettings): readonly SsoProtocol[] {
  const isSamlLeft = before.idpEntityId !== next.idpEntityId
  const isOidcLeft = before.oidcIssuer !== next.oidcIssuer || before.oidcClientId !== next.oidcClientId
  return [...(isSamlLeft ? (['saml'] as const) : []), ...(isOidcLeft ? (['oidc'] as const) : [])]
}

/** Returns the associated data of the seal of an OIDC client's secret. */
export function clientSecretScope(tenantId: string): SecretScope {
  return { owner: tenantId, id: tenantId, purpose: 'identity' }
}

/** Returns the secret of the tenant's OIDC client, or null. */
export function clientSecretOf(db: Database, config: SsoConfig): string | null {
  const { tenantId, sealedClientSecret: sealed } = config
  if (sealed === null || sealed === undefined) return null
  return Buffer.from(db.secrets.open(sealed, clientSecretScope(tenantId))).toString('utf8')
}
