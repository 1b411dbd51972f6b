import {
  countryOfVatNumber,
  isCountry,
  isVatNumber,
  normalizeVatNumber,
  TAX_FIELDS,
  type TaxFields,
} from '../../../core/billing/tax.ts'
import { DomainError, invalidField } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { lockBilling } from '../lock-tenant.ts'
import { wakeBilling } from '../project.ts'

/** Fields to change; absent ones stay, null takes one away. */
export type TaxChange = { readonly [field in keyof TaxFields]?: TaxFields[field] | undefined }

interface Held extends TaxFields {
  readonly customerId: string | null
}

/**
 * Changes what stands on invoices; the workflow tells the processor. Throws `no_fields` for a change of nothing, and
 * `validation_failed` for a country or a VAT number that has not the form of one, or that contradict each other.
 */
export async function updateTax(op: Operation, change: TaxChange): Promise<TaxFields> {
  requireScope(op, 'billing:write')
  const fields = TAX_FIELDS.filter((name) => change[name] !== undefined)
  if (fields.length === 0) throw new DomainError('no_fields', 'give at least one field to change')
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    await lockBilling(tx, op.tenantId)
    const [held] = await tx.query<Held>(
      `select customer_id as "customerId", vat_number as "vatNumber", tax_id as "taxId",
         company_name as "companyName", country_code as "countryCode"
       from billing_accounts where tenant_id = $1`,
      [op.tenantId],
    )
    const tax = checkTax({
      vatNumber: pick(change.vatNumber, held?.vatNumber),
      taxId: pick(change.taxId, held?.taxId),
      companyName: pick(change.companyName, held?.companyName),
      countryCode: pick(change.countryCode, held?.countryCode),
    })
    await tx.query(
      `insert into billing_accounts (tenant_id, vat_number, tax_id, company_name, country_code, tax_dirty_at,
         tax_dirty_fields, credit_balance_cents, event_created, event_id, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, 0, 0, '', $6)
       on conflict (tenant_id) do update set vat_number = excluded.vat_number, tax_id = excluded.tax_id,
         company_name = excluded.company_name, country_code = excluded.country_code,
         tax_dirty_at = excluded.tax_dirty_at, updated_at = excluded.updated_at,
         is_tax_refused = billing_accounts.is_tax_refused and not 'vatNumber' = any(excluded.tax_dirty_fields),
         tax_dirty_fields = array(select distinct unnest(billing_accounts.tax_dirty_fields || excluded.tax_dirty_fields))`,
      [op.tenantId, tax.vatNumber, tax.taxId, tax.companyName, tax.countryCode, op.now(), fields],
    )
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
    throw invalidField('country_code', 'must be a country of ISO 3166-1, in two letters')
  }
  if (vatNumber === null) return { ...given, vatNumber, countryCode }
  if (!isVatNumber(vatNumber)) {
    throw invalidField('vat_number', 'must be a VAT number with its country in front, such as DE123456789')
  }
  if (countryCode !== null && countryOfVatNumber(vatNumber) !== countryCode) {
    throw invalidField('vat_number', `is not a number of ${countryCode}`)
  }
  return { ...given, vatNumber, countryCode }
}
