import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { hashOf, type SsoProtocol } from '../../sso/login-attempts.ts'

/** A tenant that a person wants to sign in to. */
export interface SsoTenant {
  readonly id: string
  readonly name: string
  readonly plan: PlanId
}

/** Returns the live tenant of this id or name, if it has an owner. */
export async function findSsoTenant(db: Database, org: string): Promise<SsoTenant | null> {
  // Ids and names use only these characters.
  if (!/^[0-9a-z_-]{1,100}$/.test(org)) return null
  const [tenant] = await service.read(db, 'a person names the organisation to sign in to', (q) =>
    q
      .selectFrom('tenants')
      .select(['id', 'name', 'plan'])
      .where((of) => of.or([of('id', '=', org), of('name', '=', org)]))
      .where('kind', '=', 'user')
      .where('deleted_at', 'is', null),
  )
  return tenant ?? null
}

/** Returns the one tenant that signs people in through a provider of this name; null when several do, or none. */
export async function findTenantByIssuer(db: Database, idpEntityId: string): Promise<SsoTenant | null> {
  const [tenant, ...others] = await service.read(db, 'a response names its provider, and that the organisation', (q) =>
    q
      .selectFrom('sso_configs as s')
      .innerJoin('tenants as t', 't.id', 's.tenant_id')
      .select(['t.id', 't.name', 't.plan'])
      .where('s.idp_entity_id', '=', idpEntityId)
      .where('s.is_enabled', '=', true)
      .where('t.deleted_at', 'is', null)
      .limit(2),
  )
  return tenant === undefined || others.length > 0 ? null : tenant
}

/** Returns whether any live organisation signs people in through a provider of its own. */
export async function hasSsoTenants(db: Database): Promise<boolean> {
  const [found] = await service.read(db, 'the sign-in page offers single sign-on where an organisation has it', (q) =>
    q
      .selectFrom('sso_configs as s')
      .innerJoin('tenants as t', 't.id', 's.tenant_id')
      .select('t.id')
      .where('s.is_enabled', '=', true)
      .where('t.deleted_at', 'is', null)
      .limit(1),
  )
  return found !== undefined
}

/** A pending sign-in. */
export interface OpenSsoLogin {
  readonly tenantId: string
  readonly createdAt: Date
}

/** Looks a sign-in up without using it up; null when it is unknown, used or expired. */
export async function findSsoLogin(
  db: Database,
  { protocol, state, now }: { readonly protocol: SsoProtocol; readonly state: string; readonly now: Date },
): Promise<OpenSsoLogin | null> {
  const [row] = await service.read(db, 'a sign-in that comes back names its organisation', (q) =>
    q
      .selectFrom('login_attempts')
      .select(['tenant_id as tenantId', 'created_at as createdAt'])
      .where('state_hash', '=', hashOf(state))
      .where('kind', '=', protocol)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .where('tenant_id', 'is not', null)
      .$narrowType<{ tenantId: string }>(),
  )
  return row ?? null
}
