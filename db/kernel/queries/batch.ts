import pg from 'pg'

/** A statement as it is sent. Each connection parses and plans a named one once. */
export interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string | undefined
}

/** The result of a statement, as `pg` returns it. */
export type Answer = pg.QueryResult<object>

/** The parts of a connection of `pg` that its queries use. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void; destroy(error: Error): void }
  /** Names whose text was sent, and was neither parsed nor refused yet. */
  readonly submittedNamedStatements: Record<string, string>
  sync(): void
  describe(): void
}

/** A query of `pg`, with the methods that its client calls for the answers of the server. */
interface WireQuery {
  readonly name: string | undefined
  readonly _result: { _types?: unknown }
  prepare(wire: Wire): void
  hasBeenParsed(wire: Wire): unknown
  handleRowDescription(message: object): void
  handleDataRow(message: object): void
  handleCommandComplete(message: object, wire: Wire): void
  handleReadyForQuery(wire: Wire): void
}

type Settle = (error: Error | null | undefined, answer: Answer) => void

const WireQuery = pg.Query as unknown as new (config: object, values: undefined, settle: Settle) => WireQuery

/**
 * Statements in one message with one `Sync` at its end. The server skips those behind a statement that fails: when
 * `begin` or the role of a tenant is refused, no later statement of the batch runs. `pg` itself sends a `Sync` after
 * each statement.
 */
class Batch implements pg.Submittable {
  readonly #queries: readonly WireQuery[]
  readonly #statements: readonly Sent[]
  readonly #answers: Answer[] = []
  #failure: Error | undefined
  /** Place of the statement whose answer comes next. */
  #next = 0
  /** Names that this batch asks the server to parse. */
  readonly #parsing: string[] = []
  /** Called by the client of `pg`, which puts its time limit around it. */
  callback: (error: Error | null | undefined, answers: readonly Answer[]) => void
  /** The client of `pg` sets the parsers of types, and remembers the statement as parsed under this name. */
  readonly _result: { _types?: unknown } = {}
  name: string | undefined
  text = ''

  constructor(statements: readonly Sent[], callback: Batch['callback']) {
    this.callback = callback
    this.#statements = statements
    this.#queries = statements.map((statement, place) => {
      const config = { ...statement, values: [...statement.values], queryMode: 'extended' }
      return new WireQuery(config, undefined, (error, answer) => {
        if (error) this.#failure ??= error
        else this.#answers[place] = answer
      })
    })
  }

  submit(connection: unknown): void {
    const wire = connection as Wire
    const silent = silentOf(wire)
    wire.stream.cork()
    try {
      for (const query of this.#queries) {
        if (query.name !== undefined && !query.hasBeenParsed(wire)) this.#parsing.push(query.name)
        query.prepare(silent)
        if (this.#failure !== undefined) throw this.#failure
      }
      wire.sync()
    } catch (error) {
      // A value that cannot be bound. A part of the message is on its way: the connection cannot be used again.
      wire.stream.destroy(error instanceof Error ? error : new Error(String(error)))
    } finally {
      wire.stream.uncork()
    }
    this.#expect(0)
  }

  #expect(next: number): void {
    this.#next = next
    const statement = this.#statements[next]
    this.name = statement?.name
    this.text = statement?.text ?? ''
  }

  get #answering(): WireQuery | undefined {
    return this.#queries[this.#next]
  }

  handleRowDescription(message: object): void {
    const query = this.#answering
    if (query === undefined) return
    query._result._types = this._result._types
    query.handleRowDescription(message)
  }

  handleDataRow(message: object): void {
    this.#answering?.handleDataRow(message)
  }

  handleCommandComplete(message: object, wire: Wire): void {
    this.#answering?.handleCommandComplete(message, wire)
    this.#expect(this.#next + 1)
  }

  handleEmptyQuery(): void {
    this.#expect(this.#next + 1)
  }

  handleReadyForQuery(wire: Wire): void {
    for (const query of this.#queries) query.handleReadyForQuery(wire)
    this.callback(this.#failure, this.#answers)
  }

  handleError(error: Error, wire: Wire): void {
    // The server skipped the statements behind the failed one, and parsed none of them.
    for (const name of this.#parsing) delete wire.submittedNamedStatements[name]
    this.callback(error, [])
  }
}

const SILENT = new WeakMap<Wire, Wire>()

/** Returns a connection on which a query of `pg` sends all but its own `Sync`. */
function silentOf(wire: Wire): Wire {
  const known = SILENT.get(wire)
  if (known !== undefined) return known
  const silent = Object.create(wire, { sync: { value: () => {} } }) as Wire
  SILENT.set(wire, silent)
  return silent
}

/** Sends statements as one message and returns the answer of each. Throws the failure of the first that fails. */
export async function sendBatch(client: pg.ClientBase, statements: readonly Sent[]): Promise<readonly Answer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Answer[]>()
  client.query(new Batch(statements, (error, answers) => (error ? reject(error) : resolve(answers))))
  return await promise
}
