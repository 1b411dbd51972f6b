import type { ProcessorSnapshot } from '../../../core/billing/events/events.ts'
import { sql } from 'kysely'
import type { ServiceTransaction } from '../../kernel/queries/service.ts'

/** The owner of a processor object; or unknown so far; or the reason that the object has no effect. */
export type Payer =
  | { readonly kind: 'tenant'; readonly tenantId: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly outcome: 'tenant_mismatch' | 'customer_mismatch' }

/**
 * Returns the owner of an object: by our metadata in it, by the followed payment link, by the tenant's known customer,
 * or, for a refund, by its payment. An object without any of these has no owner: an absent id never matches.
 */
export async function findPayer(tx: ServiceTransaction, snapshot: ProcessorSnapshot): Promise<Payer> {
  const claimed = claimedTenant(snapshot)
  if (claimed === undefined) return { kind: 'refused', outcome: 'tenant_mismatch' }
  const owners = await ownersOf(tx, snapshot)
  const [owner] = owners
  if (owners.length > 1) return { kind: 'refused', outcome: 'customer_mismatch' }
  if (claimed === null) return owner === undefined ? { kind: 'unknown' } : { kind: 'tenant', tenantId: owner }
  if (owner !== undefined && owner !== claimed) return { kind: 'refused', outcome: 'customer_mismatch' }
  return { kind: 'tenant', tenantId: claimed }
}

/** Returns the tenant that an object names; null when it names none, undefined when it names two. */
function claimedTenant(snapshot: ProcessorSnapshot): string | null | undefined {
  if (snapshot.kind === 'customer') return null
  const { tenantId } = snapshot.claim
  if (snapshot.kind !== 'checkout') return tenantId
  const { clientReferenceId } = snapshot
  if (tenantId !== null && clientReferenceId !== null && tenantId !== clientReferenceId) return undefined
  return tenantId ?? clientReferenceId
}

async function ownersOf(tx: ServiceTransaction, snapshot: ProcessorSnapshot): Promise<readonly string[]> {
  const { chargeId, paymentIntentId } =
    snapshot.kind === 'refund' ? snapshot : { chargeId: null, paymentIntentId: null }
  // Bound unchanged: a comparison with null finds no row.
  const customer = sql<string>`${snapshot.customerId}`
  const rows = await tx.read((q) =>
    q
      .selectFrom('billing_accounts')
      .select('tenant_id as tenantId')
      .where('customer_id', '=', customer)
      .union(q.selectFrom('subscriptions').select('tenant_id as tenantId').where('customer_id', '=', customer))
      .union(
        q
          .selectFrom('checkout_sessions')
          .select('tenant_id as tenantId')
          .where('customer_id', '=', customer)
          .where('completed_at', 'is not', null),
      )
      .union(
        q
          .selectFrom('invoices')
          .select('tenant_id as tenantId')
          .where('kind', '=', 'invoice')
          .where((of) =>
            of.or([
              of('charge_id', '=', sql<string>`${chargeId}`),
              of('payment_intent_id', '=', sql<string>`${paymentIntentId}`),
            ]),
          ),
      ),
  )
  return rows.map(({ tenantId }) => tenantId)
}
