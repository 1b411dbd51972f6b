import { sql } from 'kysely'
import type { ProcessorCharge } from '../../../core/billing/processor.ts'
import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Returns the tenant whose invoice a charge paid. Throws `not_found` when it paid none, and `charge_mismatch` when it
 * paid invoices of several tenants.
 */
export async function payerOfCharge(db: Database, charge: ProcessorCharge): Promise<string> {
  const rows = await service.read(db, 'a charge names its invoices and no tenant', (q) =>
    q
      .selectFrom('invoices')
      .select('tenant_id as tenantId')
      .distinct()
      .where('kind', '=', 'invoice')
      .where((of) =>
        of.or([
          sql<boolean>`id = any(${charge.invoiceIds})`,
          of('charge_id', '=', charge.id),
          // Bound unchanged: a comparison with null finds no row.
          of('payment_intent_id', '=', sql<string>`${charge.paymentIntentId}`),
        ]),
      ),
  )
  const [row] = rows
  if (row === undefined) throw KERNEL_ERRORS.not_found('no invoice of a tenant was paid with this charge')
  if (rows.length > 1) throw BILLING_ERRORS.charge_mismatch('the charge paid invoices of several tenants')
  return row.tenantId
}
