import { sql, type NotNull } from 'kysely'
import type { CustomerUpdate } from '../../../core/billing/processor.ts'
import { TAX_FIELDS } from '../../../core/billing/tax.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Tax fields to send to the processor. */
export interface TaxToPush {
  readonly update: CustomerUpdate
  readonly dirtyAt: Date
}

/** Returns a tenant's tax fields that the processor lacks; null when it has them, or has no customer for them. */
export async function taxToPush(from: Reader, tenantId: string): Promise<TaxToPush | null> {
  const [row] = await from.read((q) =>
    q
      .selectFrom('billing_accounts')
      .select([
        'customer_id as customerId',
        'vat_number as vatNumber',
        'tax_id as taxId',
        'company_name as companyName',
        'country_code as countryCode',
        'tax_dirty_at as dirtyAt',
        'tax_dirty_fields as dirtyFields',
      ])
      .where('tenant_id', '=', tenantId)
      .where('tax_dirty_at', 'is not', null)
      .where('customer_id', 'is not', null)
      .$narrowType<{ customerId: NotNull; dirtyAt: NotNull }>(),
  )
  if (row === undefined) return null
  const changed = TAX_FIELDS.filter((name) => row.dirtyFields.includes(name)).map((name) => [name, row[name]])
  return { update: { customerId: row.customerId, ...Object.fromEntries(changed) }, dirtyAt: row.dirtyAt }
}

/**
 * Records that the processor has the tax fields, or that it rejects the VAT number, for which a retry is useless;
 * unless they were changed meanwhile. The rejection stays recorded until another number arrives.
 */
export async function markTaxPushed(
  op: Operation,
  input: { readonly dirtyAt: Date; readonly isRefused: boolean },
): Promise<void> {
  const { dirtyAt, isRefused } = input
  await op.write(async (tx) => {
    const marked = await tx.q
      .updateTable('billing_accounts')
      .set({
        tax_dirty_at: null,
        tax_dirty_fields: [],
        is_tax_refused: isRefused || sql<boolean>`is_tax_refused and not 'vatNumber' = any(tax_dirty_fields)`,
      })
      .where('tenant_id', '=', op.tenantId)
      .where('tax_dirty_at', '=', dirtyAt)
      .returning('tenant_id')
      .execute()
    if (marked.length === 0 || !isRefused) return
    await recordAudit(tx, op, { action: 'billing.tax_refused', target: op.tenantId, payload: {} })
  })
}

/** Records a tenant's customer at the processor. A new one needs the tax fields: returns true when there are any. */
export async function noteCustomer(tx: Transaction, op: Operation, customerId: string | null): Promise<boolean> {
  const noted = await tx.q
    .insertInto('billing_accounts')
    .values({
      tenant_id: op.tenantId,
      customer_id: customerId,
      credit_balance_cents: 0,
      event_created: 0,
      event_id: '',
      updated_at: op.now(),
    })
    .onConflict((on) =>
      on
        .column('tenant_id')
        .doUpdateSet({
          customer_id: (of) => of.ref('excluded.customer_id'),
          updated_at: (of) => of.ref('excluded.updated_at'),
          tax_dirty_at: sql<Date | null>`case when num_nonnulls(billing_accounts.vat_number, billing_accounts.tax_id,
            billing_accounts.company_name, billing_accounts.country_code) > 0 then excluded.updated_at end`,
          tax_dirty_fields: sql<string[]>`array_remove(array[
            case when billing_accounts.vat_number is not null then 'vatNumber' end,
            case when billing_accounts.tax_id is not null then 'taxId' end,
            case when billing_accounts.company_name is not null then 'companyName' end,
            case when billing_accounts.country_code is not null then 'countryCode' end
          ], null)`,
        })
        .whereRef('billing_accounts.customer_id', 'is distinct from', 'excluded.customer_id'),
    )
    .returning(sql<boolean>`customer_id is not null and tax_dirty_at is not null`.as('isTaxDue'))
    .executeTakeFirst()
  return noted?.isTaxDue ?? false
}
