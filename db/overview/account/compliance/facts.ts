import { sql } from 'kysely'
import type { ControlFacts } from '../../../../core/overview/compliance/controls.ts'
import { daysSince } from '../../../../core/overview/next-actions.ts'
import { settingsOf } from '../../../../core/accounts/settings.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { auditDaysOf } from '../../../../core/kernel/tenant/audit-days.ts'
import type { Limits } from '../../../../core/overview/limits.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import { verifyAudit } from '../../../ledger/audit/verify-audit.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { countRows } from '../../../kernel/queries/count-rows.ts'

/** Description of the tenant in a package. */
export type PackagedTenant = {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly plan: PlanId
  readonly region: string
  readonly created_at: string
}

/** Counts in a package. */
export type PackageCounts = {
  readonly concepts: number
  readonly compile_jobs: number
  readonly receipts_signed: number
  readonly audit_events: number
}

/** Data read for a package, beside its lists. */
export interface PackageFacts {
  readonly tenant: PackagedTenant
  readonly counts: PackageCounts
  readonly controls: ControlFacts
}

interface FactsRow {
  readonly name: string
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly plan: PlanId
  readonly createdAt: Date
  readonly settings: JsonObject
  readonly concepts: number
  readonly jobs: number
  readonly artifacts: number
  readonly receipts: number
  readonly liveKeys: number
  readonly narrowKeys: number
  readonly expiringKeys: number
  readonly keyCreatedAt: Date | null
  readonly receiptSecrets: number
  readonly providerKeys: number
  readonly ssoSecrets: number
  readonly ssoConfigs: number
  readonly scimConfigs: number
  readonly scimKeys: number
}

/** Reads the facts of the tenant, and checks its audit ledger for it. */
export async function packageFacts(
  op: Operation,
  service: {
    readonly limits: Limits
    readonly region: string
    readonly publicUrl: string | undefined
    readonly signingKeys: readonly string[]
  },
): Promise<PackageFacts> {
  const [row, members, ledger] = await Promise.all([readFacts(op), membersByRole(op), verifyAudit(op)])
  const settings = settingsOf(row.settings)
  return {
    tenant: {
      id: op.tenantId,
      name: row.name,
      email: row.email,
      plan: row.plan,
      region: service.region,
      created_at: row.createdAt.toISOString(),
    },
    counts: {
      concepts: row.concepts,
      compile_jobs: row.jobs,
      receipts_signed: row.receipts,
      audit_events: ledger.total,
    },
    controls: {
      publicUrl: service.publicUrl,
      hasSingleSignOn: row.ssoConfigs > 0,
      hasScim: row.scimConfigs > 0 && row.scimKeys > 0,
      isOwnerVerified: row.isEmailVerified,
      members,
      keys: { live: row.liveKeys, narrow: row.narrowKeys, expiring: row.expiringKeys },
      keyAgeDays: row.keyCreatedAt === null ? null : daysSince(row.keyCreatedAt, op.now()),
      keyRotationDays: settings.key_rotation_warning_days,
      sealedSecrets: row.receiptSecrets + row.providerKeys + row.ssoSecrets,
      audit: {
        isSound: ledger.ok,
        length: ledger.total,
        brokenAt: ledger.broken_at,
        checkpoints: ledger.checkpoints,
        prunedThrough: ledger.prunedThrough,
      },
      retentionDays: auditDaysOf(row.plan, service.limits),
      artifacts: { total: row.artifacts, withReceipt: row.receipts },
      signingKeys: service.signingKeys,
    },
  }
}

async function readFacts(op: Operation): Promise<FactsRow> {
  const { tenantId } = op
  const [row] = await op.read((q) =>
    q
      .selectFrom('tenants as t')
      .crossJoin((of) =>
        of
          .selectFrom('artifacts')
          .select((each) => [
            each.fn.countAll<number>().as('artifacts'),
            each.fn.countAll<number>().filterWhere('receipt', 'is not', null).as('receipts'),
          ])
          .where('tenant_id', '=', tenantId)
          .as('a'),
      )
      .crossJoin((of) =>
        of
          .selectFrom('api_keys')
          .select((each) => [
            each.fn.countAll<number>().as('liveKeys'),
            each.fn.countAll<number>().filterWhere('kind', '<>', 'primary').as('narrowKeys'),
            each.fn.countAll<number>().filterWhere('expires_at', 'is not', null).as('expiringKeys'),
            sql<Date | null>`max(created_at) filter (where kind = 'primary')`.as('keyCreatedAt'),
          ])
          .where('tenant_id', '=', tenantId)
          .where('revoked_at', 'is', null)
          .where((each) => each.or([each('expires_at', 'is', null), each('expires_at', '>', op.now())]))
          .as('k'),
      )
      .select((of) => [
        't.name',
        't.email',
        't.is_email_verified as isEmailVerified',
        't.plan',
        't.created_at as createdAt',
        't.settings',
        'a.artifacts',
        'a.receipts',
        'k.liveKeys',
        'k.narrowKeys',
        'k.expiringKeys',
        'k.keyCreatedAt',
        countRows(of.selectFrom('concepts').where('tenant_id', '=', tenantId).where('deleted_at', 'is', null)).as(
          'concepts',
        ),
        countRows(of.selectFrom('compile_jobs').where('tenant_id', '=', tenantId)).as('jobs'),
        countRows(of.selectFrom('receipt_secrets').where('tenant_id', '=', tenantId).where('state', '<>', 'pruned')).as(
          'receiptSecrets',
        ),
        countRows(of.selectFrom('provider_keys').where('tenant_id', '=', tenantId)).as('providerKeys'),
        countRows(
          of.selectFrom('sso_configs').where('tenant_id', '=', tenantId).where('sealed_client_secret', 'is not', null),
        ).as('ssoSecrets'),
        countRows(of.selectFrom('sso_configs').where('tenant_id', '=', tenantId).where('is_enabled', '=', true)).as(
          'ssoConfigs',
        ),
        countRows(
          of.selectFrom('sso_configs').where('tenant_id', '=', tenantId).where('is_scim_enabled', '=', true),
        ).as('scimConfigs'),
        countRows(
          of
            .selectFrom('api_keys')
            .where('tenant_id', '=', tenantId)
            .where('kind', '=', 'scim')
            .where('revoked_at', 'is', null),
        ).as('scimKeys'),
      ])
      .where('t.id', '=', tenantId),
  )
  if (row === undefined) throw new Error(`tenant ${op.tenantId} is gone`)
  return row
}

async function membersByRole(op: Operation): Promise<Readonly<Record<string, number>>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('members')
      .select(['role', q.fn.countAll<number>().as('count')])
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'active')
      .groupBy('role')
      .orderBy('role'),
  )
  return Object.fromEntries(rows.map(({ role, count }) => [role, count]))
}
