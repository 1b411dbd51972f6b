import { AsyncLocalStorage } from 'node:async_hooks'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database, EnclosingTransaction } from '../database.ts'
import { explainFailure } from '../faults/failures.ts'
import {
  beforeNextAttempt,
  enterTenant,
  leaveTenant,
  runAfterwards,
  transactionOf,
  type Transaction,
} from '../transaction.ts'
import type { Reach } from '../tenant/tenant-role.ts'

/** An enclosing transaction with its view of the database for verbs, and its two ends. */
export interface OpenEnclosure {
  /** Reads and writes in the transaction once it has begun, and like the root before and after. */
  readonly db: Database
  /**
   * Runs `last`, without a transaction when no verb has begun one, and commits; then runs the parts' callbacks for
   * after the commit.
   */
  commit(last: (tx: Transaction | null) => Promise<void>): Promise<void>
  rollback(): Promise<void>
}

/** Concurrent parts: directly in the transaction, or inside one part. */
interface Siblings {
  readonly transaction: object
  /** Settles when the last requested part has ended. */
  last: Promise<unknown>
  /** Callbacks of successful parts for after the commit; dropped with the enclosing part. */
  afterwards: (() => Promise<void> | void)[]
}

/** The siblings of the parts that the running code requests. */
const siblingsHere = new AsyncLocalStorage<Siblings>()

/**
 * Opens an enclosing transaction. The first verb that needs a transaction takes a connection, so that earlier calls to
 * other services hold none. Parts requested at the same time run one after another: savepoint, role and tenant belong
 * to the part that set them. A part inside another one runs at once.
 */
export function encloseTransactions(root: Database): OpenEnclosure {
  const transaction = {}
  const outermost: Siblings = { transaction, last: Promise.resolve(), afterwards: [] }
  let outer: EntityManager | undefined
  /** The tenant whose rows the statements currently see; null outside of a tenant's part. */
  let current: Reach | null = null

  const begun = async (): Promise<EntityManager> => {
    if (outer !== undefined) return outer
    const em = root.orm.em.fork()
    try {
      await em.begin()
    } catch (error) {
      throw explainFailure(error)
    }
    outer = em
    return em
  }
  const become = async (tx: Transaction, reach: Reach | null): Promise<void> => {
    if (reach !== null) await enterTenant(tx, reach)
    else if (current !== null) await leaveTenant(tx)
    current = reach
  }
  const forkInside = (em: EntityManager) => em.fork({ keepTransactionContext: true })

  async function runPart<T>(reach: Reach | null, inside: Siblings, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const em = await begun()
    const whole = transactionOf(em, [], root)
    for (let attempt = 1; ; attempt++) {
      const fork = forkInside(em)
      if (reach !== null) fork.setFilterParams('tenant', { tenantId: reach.tenantId })
      inside.afterwards = []
      const around = current
      try {
        await whole.query('savepoint part')
        await become(whole, reach)
        const result = await work(transactionOf(fork, inside.afterwards, root, reach))
        await fork.flush()
        await become(whole, around)
        await whole.query('release savepoint part')
        return result
      } catch (error) {
        // The settings of the part go with it; a remaining savepoint would replace the enclosing one.
        await whole.query('rollback to savepoint part; release savepoint part').catch(() => undefined)
        current = around
        await beforeNextAttempt(error, attempt)
      }
    }
  }

  const enclosing: EnclosingTransaction = {
    root,
    get hasBegun() {
      return outer !== undefined
    },
    async run(reach, work) {
      const here = siblingsHere.getStore()
      const siblings = here?.transaction === transaction ? here : outermost
      const inside: Siblings = { transaction, last: Promise.resolve(), afterwards: [] }
      const part = siblings.last.then(
        async () => await siblingsHere.run(inside, async () => await runPart(reach, inside, work)),
      )
      siblings.last = part.then(
        () => siblings.afterwards.push(...inside.afterwards),
        () => undefined,
      )
      return await part
    },
  }

  const end = async (work: (em: EntityManager) => Promise<void>): Promise<void> => {
    await outermost.last
    const em = outer
    outer = undefined
    if (em === undefined) return
    try {
      await work(em)
    } catch (error) {
      await em.rollback().catch(() => undefined)
      throw explainFailure(error)
    }
  }

  return {
    db: { ...root, enclosing },
    async commit(last) {
      await outermost.last
      if (outer === undefined) return await last(null)
      await end(async (em) => {
        await last(transactionOf(em, [], root))
        await em.commit()
      })
      await runAfterwards(root, outermost.afterwards)
    },
    async rollback() {
      await end(async (em) => await em.rollback())
    },
  }
}
