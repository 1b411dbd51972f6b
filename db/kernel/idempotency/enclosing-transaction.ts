import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, EnclosingTransaction } from '../database.ts'
import { explainFailure, isConflict } from '../faults/failures.ts'
import {
  beforeNextAttempt,
  enterTenant,
  leaveTenant,
  runAfterwards,
  transactionOf,
  type Transaction,
} from '../transaction.ts'
import { openSession, type Session } from '../queries/session.ts'
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
  let outer: Session | undefined
  /** The tenant whose rows the statements currently see; null outside of a tenant's part. */
  let current: Reach | null = null

  const begun = async (): Promise<Session> => {
    if (outer !== undefined) return outer
    try {
      outer = await openSession(root.pool, null)
    } catch (error) {
      throw explainFailure(error)
    }
    return outer
  }
  const become = (tx: Transaction, reach: Reach | null): void => {
    if (reach !== null) enterTenant(tx, reach)
    else if (current !== null) leaveTenant(tx)
    current = reach
  }

  async function runPart<T>(reach: Reach | null, inside: Siblings, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const session = await begun()
    const whole = transactionOf(session, [], root)
    for (let attempt = 1; ; attempt++) {
      inside.afterwards = []
      const around = current
      await whole.query('savepoint part').catch((error: unknown) => {
        // A statement that the part around posted failed with it: that part is repeated or fails, this one never began.
        throw isConflict(error) ? error : explainFailure(error)
      })
      try {
        become(whole, reach)
        const part = transactionOf(session, inside.afterwards, root, reach)
        const result = await work(part)
        await part.flush()
        become(whole, around)
        await whole.query('release savepoint part')
        return result
      } catch (error) {
        // The settings of the part go with it; a remaining savepoint would replace the enclosing one.
        session.dropPosted()
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

  const end = async (work: (session: Session) => Promise<void>): Promise<void> => {
    await outermost.last
    const session = outer
    outer = undefined
    if (session === undefined) return
    try {
      await work(session)
    } catch (error) {
      await session.rollback()
      throw explainFailure(error)
    }
  }

  return {
    db: { ...root, enclosing },
    async commit(last) {
      await outermost.last
      if (outer === undefined) return await last(null)
      await end(async (session) => {
        const tx = transactionOf(session, [], root)
        await last(tx)
        await tx.flush()
        await session.commit()
      })
      await runAfterwards(root, outermost.afterwards)
    },
    async rollback() {
      await end(async (session) => await session.rollback())
    },
  }
}
