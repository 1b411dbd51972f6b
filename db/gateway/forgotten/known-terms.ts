import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { ForgetFinder } from '../../../core/gateway/gate/privacy/forget-list.ts'
import { lockInTransaction, shareInTransaction, type Transaction } from '../../kernel/transaction.ts'

/** Thrown where a forget list has grown since the texts of a write were redacted by it. */
class ForgetListGrown extends Error {}

/**
 * Attempts of a write. A list grows by requests of people, so a second attempt is rare.
 */
const ATTEMPTS = 5

/** The lock of a tenant's forgetting: writers of texts share it, and forgetting has it alone. */
function lockName(tenantId: string): string {
  return `forgets ${tenantId}`
}

/** Waits for the writers of texts of a tenant that are under way, and keeps later ones out until the commit. */
export async function enterAsForgetting(tx: Transaction, tenantId: string): Promise<void> {
  await lockInTransaction(tx, lockName(tenantId))
}

/**
 * Keeps the forgetting of a tenant out until the commit: it then finds what is written. What was forgotten before is seen by
 * the statements behind this one.
 */
export async function enterAsWriter(tx: Transaction, tenantId: string): Promise<void> {
  await shareInTransaction(tx, lockName(tenantId))
}

/**
 * Does the same for a write whose texts were redacted by a forget list. Throws a `ForgetListGrown` when the list has grown
 * since, see `withKnownTerms`.
 */
export async function enterWithTerms(tx: Transaction, tenantId: string, known: ForgetFinder | null): Promise<void> {
  await enterAsWriter(tx, tenantId)
  const terms = await tx.q
    .selectFrom('forgotten_terms')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  if (Number(terms?.count ?? 0) !== (known?.size ?? 0)) throw new ForgetListGrown('the forget list has grown')
}

/**
 * Redacts and writes, and does it again where the forget list has grown in between. `attempt` takes whether it has to read
 * the list anew. Throws `busy` when the list keeps growing.
 */
export async function withKnownTerms<T>(attempt: (isAgain: boolean) => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt(count > 1)
    } catch (error) {
      if (!(error instanceof ForgetListGrown)) throw error
      if (count === ATTEMPTS) {
        throw KERNEL_ERRORS.busy('the forget list of the tenant is growing', { retryAfterS: 1, cause: error })
      }
    }
  }
}
