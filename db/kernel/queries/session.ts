import { DefaultQueryExecutor, Kysely, type CompiledQuery, type DatabaseConnection } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../schema.ts'
import type { Reach } from '../tenant/tenant-role.ts'
import { sendBatch, type Answer, type Sent } from './batch.ts'
import { BEGIN, COMMIT, entering, sentOf } from './sent.ts'
import { isStalePlan } from './prepared.ts'
import { DIALECT } from './typed.ts'

/**
 * One transaction on a connection of the pool. `begin` and the tenant go to the server with its first statement, in one
 * message that the server runs up to the first failure. A transaction without a statement makes no round trip.
 */
export class Session {
  readonly #client: pg.PoolClient
  /** Statements that go out ahead of the next one. */
  #ahead: Sent[]
  #hasBegun = false
  /** The message that begins, until it is answered, and for good when it failed: no statement may run outside. */
  #beginning: Promise<Answer> | undefined
  /** True while no statement was sent or posted. */
  #isEmpty = true
  /** False from the commit or the rollback on. */
  #isOpen = true
  #isReleased = false
  #hasStalePlans = false
  /** Runs typed queries in the transaction. */
  readonly queries: Kysely<Tables>

  constructor(client: pg.PoolClient, reach: Reach | null) {
    this.#client = client
    this.#ahead = [BEGIN, ...(reach === null ? [] : [entering(reach)])]
    this.queries = queriesOn({
      executeQuery: async ({ sql, parameters }: CompiledQuery) => {
        const { command, rowCount, rows } = await this.run(sql, parameters)
        const numAffectedRows = CHANGES.has(command) ? BigInt(rowCount ?? 0) : undefined
        return { rows: rows ?? [], ...(numAffectedRows !== undefined && { numAffectedRows }) } as never
      },
      streamQuery: () => {
        throw new Error('a transaction streams no rows')
      },
    })
  }

  /** Sends a statement and returns its answer. The server answers statements in their order. */
  async run(text: string, values: readonly unknown[] = []): Promise<Answer> {
    this.#requireOpen()
    try {
      return await this.#deliver(sentOf(text, values))
    } catch (error) {
      // The stack of the answer's handler does not name the sender.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  /** Sends a statement with the next one or with the commit, which throws its failure. */
  post(text: string, values: readonly unknown[]): void {
    this.#requireOpen()
    this.#ahead.push(sentOf(text, values))
    this.#isEmpty = false
  }

  /** Drops posted statements, for the return to a savepoint that was sent before them. */
  dropPosted(): void {
    if (this.#hasBegun) this.#ahead = []
  }

  /**
   * Commits and releases the connection. The caller rolls back when it throws, also when the work caught the failure of
   * a statement: the server then answers a commit with a rollback. Whether a commit whose connection was lost took place
   * is unknown.
   */
  async commit(): Promise<void> {
    this.#requireOpen()
    this.#isOpen = false
    if (this.#beginning !== undefined) await this.#beginning
    if (!this.#isEmpty) {
      const { command } = await this.#deliver(COMMIT)
      if (command !== 'COMMIT')
        throw new Error('the transaction was rolled back: the failure of a statement was caught')
    }
    this.#isReleased = true
    this.#release()
  }

  /** Undoes the transaction and releases the connection, or closes it when it is lost. Never rejects. */
  async rollback(): Promise<void> {
    this.#isOpen = false
    if (this.#isReleased) return
    this.#isReleased = true
    try {
      if (this.#hasBegun) await this.#client.query('rollback')
      this.#release()
    } catch (error) {
      this.#client.release(error instanceof Error ? error : true)
    }
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new Error('the transaction has ended')
  }

  /** A connection that keeps plans of an earlier schema is closed. */
  #release(): void {
    this.#client.release(this.#hasStalePlans)
  }

  /** Throws once the connection is released: a statement that waited would run outside of the transaction. */
  #requireHeld(): void {
    if (this.#isReleased) throw new Error('the transaction has ended')
  }

  /** Sends what was posted and this statement; returns its answer. */
  async #deliver(statement: Sent): Promise<Answer> {
    if (this.#beginning !== undefined) await this.#beginning
    this.#requireHeld()
    // A message of several statements cannot be part of a batch.
    while (statement.text.includes(';') && this.#ahead.length > 0) {
      await this.#transmit(this.#takeAhead())
      this.#requireHeld()
    }
    return await this.#transmit([...this.#takeAhead(), statement])
  }

  #takeAhead(): readonly Sent[] {
    const ahead = this.#ahead
    this.#ahead = []
    return ahead
  }

  /** Sends statements as one message, the first of the transaction with its beginning. */
  async #transmit(statements: readonly Sent[]): Promise<Answer> {
    const sending = this.#send(statements)
    this.#isEmpty = false
    if (this.#hasBegun) return await sending
    this.#hasBegun = true
    this.#beginning = sending
    const answer = await sending
    this.#beginning = undefined
    return answer
  }

  async #send(statements: readonly Sent[]): Promise<Answer> {
    const [first] = statements
    try {
      // A text without values may hold several statements, which only a separate message can.
      if (statements.length === 1 && first !== undefined && first.name === undefined)
        return await this.#client.query<object>(first.text, [...first.values])
      const answer = (await sendBatch(this.#client, statements)).at(-1)
      if (answer === undefined) throw new Error('a batch without statements')
      return answer
    } catch (error) {
      this.#hasStalePlans ||= isStalePlan(error)
      throw error
    }
  }
}

/** Commands whose number of rows is that of changed rows. */
const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Takes a connection for a transaction that reaches these rows; null for all rows, under the role of the login. */
export async function openSession(pool: pg.Pool, reach: Reach | null): Promise<Session> {
  return new Session(await pool.connect(), reach)
}

const DRIVER = DIALECT.createDriver()
const COMPILER = DIALECT.createQueryCompiler()
const ADAPTER = DIALECT.createAdapter()

/** Returns a builder whose queries run on a connection. The server answers them in their order, so none waits here. */
function queriesOn(connection: DatabaseConnection): Kysely<Tables> {
  const executor = new DefaultQueryExecutor(COMPILER, ADAPTER, {
    provideConnection: async (consumer) => await consumer(connection),
  })
  return new Kysely<Tables>({ config: { dialect: DIALECT }, dialect: DIALECT, driver: DRIVER, executor })
}
