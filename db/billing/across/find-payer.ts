import type { ProcessorSnapshot } from '../../../core/billing/events/events.ts'
import { sql } from 'kysely'
import type { ServiceTransaction } from '../../kernel/queries/service.ts'

/** Whose an object of the processor is; or that nobody can say yet; or why it has no effect. */
export type Payer =
  | { readonly kind: 'tenant'; readonly tenantId: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly outcome: 'tenant_mismatch' | 'customer_mismatch' }

/**
 * Whose an object is: by what we wrote into its metadata, by whom a payment link was followed for, by the customer that
 * a tenant is known to be, or, for a refund, by the payment that it gives back. An object that names nobody belongs to
 * nobody: nothing ever matches an absent id.
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

/** The tenant that an object names; null when it names none, undefined when it names two. */
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
  // Bound as they are: a comparison with null finds nothing.
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
