import { sql } from 'kysely'
import {
  countryOfVatNumber,
  isCountry,
  isVatNumber,
  normalizeVatNumber,
  TAX_FIELDS,
  type TaxFields,
} from '../../../core/billing/tax.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { lockBilling } from '../lock-tenant.ts'
import { wakeBilling } from '../standing/project.ts'

/** Fields to change; absent ones stay, null removes one. */
export type TaxChange = { readonly [field in keyof TaxFields]?: TaxFields[field] | undefined }

/**
 * Changes the invoice details; the workflow sends them to the processor. Throws `no_fields` for an empty change, and
 * `validation_failed` for a malformed country or VAT number, or ones that contradict each other.
 */
export async function updateTax(op: Operation, change: TaxChange): Promise<TaxFields> {
  requireScope(op, 'billing:write')
  const fields = TAX_FIELDS.filter((name) => change[name] !== undefined)
  if (fields.length === 0) throw ACCOUNTS_ERRORS.no_fields('give at least one field to change')
  return await op.write(async (tx) => {
    await lockBilling(tx, op.tenantId)
    const held = await tx.q
      .selectFrom('billing_accounts')
      .select([
        'customer_id as customerId',
        'vat_number as vatNumber',
        'tax_id as taxId',
        'company_name as companyName',
        'country_code as countryCode',
      ])
      .where('tenant_id', '=', op.tenantId)
      .executeTakeFirst()
    const tax = checkTax({
      vatNumber: pick(change.vatNumber, held?.vatNumber),
      taxId: pick(change.taxId, held?.taxId),
      companyName: pick(change.companyName, held?.companyName),
      countryCode: pick(change.countryCode, held?.countryCode),
    })
    const now = op.now()
    await tx.q
      .insertInto('billing_accounts')
      .values({
        tenant_id: op.tenantId,
        vat_number: tax.vatNumber,
        tax_id: tax.taxId,
        company_name: tax.companyName,
        country_code: tax.countryCode,
        tax_dirty_at: now,
        tax_dirty_fields: fields,
        credit_balance_cents: 0,
        event_created: 0,
        event_id: '',
        updated_at: now,
      })
      .onConflict((on) =>
        on.column('tenant_id').doUpdateSet({
          vat_number: (of) => of.ref('excluded.vat_number'),
          tax_id: (of) => of.ref('excluded.tax_id'),
          company_name: (of) => of.ref('excluded.company_name'),
          country_code: (of) => of.ref('excluded.country_code'),
          tax_dirty_at: (of) => of.ref('excluded.tax_dirty_at'),
          updated_at: (of) => of.ref('excluded.updated_at'),
          is_tax_refused: sql<boolean>`billing_accounts.is_tax_refused and not 'vatNumber' = any(excluded.tax_dirty_fields)`,
          tax_dirty_fields: sql<string[]>`array(
            select distinct unnest(billing_accounts.tax_dirty_fields || excluded.tax_dirty_fields))`,
        }),
      )
      .execute()
    await recordAudit(tx, op, { action: 'billing.tax_updated', target: op.tenantId, payload: { fields } })
    if (typeof held?.customerId === 'string') await wakeBilling(tx, op)
    return tax
  })
}

function pick(given: string | null | undefined, held: string | null | undefined): string | null {
  return given === undefined ? (held ?? null) : given
}

function checkTax(given: TaxFields): TaxFields {
  const vatNumber = given.vatNumber === null ? null : normalizeVatNumber(given.vatNumber)
  const countryCode = given.countryCode?.toUpperCase() ?? null
  if (countryCode !== null && !isCountry(countryCode)) {
    throw invalidField('country_code', 'must be a two-letter country code (ISO 3166-1)')
  }
  if (vatNumber === null) return { ...given, vatNumber, countryCode }
  if (!isVatNumber(vatNumber)) {
    throw invalidField('vat_number', 'must be a VAT number that starts with its country code, such as DE123456789')
  }
  if (countryCode !== null && countryOfVatNumber(vatNumber) !== countryCode) {
    throw invalidField('vat_number', `is not a VAT number of ${countryCode}`)
  }
  return { ...given, vatNumber, countryCode }
}
