import type pg from 'pg'
import { ChainCheck, type ChainLine, type ChainVerification } from '../../core/evidence/ledger/check-chain.ts'
import { isSignedCheckpoint } from '../../core/evidence/ledger/checkpoint.ts'
import { GENESIS, type ChainHead } from '../../core/evidence/ledger/ledger.ts'
import type { TrustedKeys } from '../../core/evidence/keys/jwk.ts'
import type { Database, SqlRunner } from '../database.ts'
import { explainFailure } from '../failures.ts'
import type { Operation } from '../operation.ts'
import { loadSigningKeys } from '../signing-keys/signing-keys.ts'
import { auditKeys, type AuditKeys } from './audit-key.ts'
import { readCheckpoints, type KeptCheckpoint } from './checkpoints.ts'
import { readLines } from './read-lines.ts'
import { settleLedger } from './settle.ts'

/** What the check of a tenant's ledger found. */
export interface LedgerVerification extends ChainVerification {
  /** Signed checkpoints that were met on the way. */
  readonly checkpoints: number
  /** Number of the last entry that was removed because its time was over; 0 when all are there. */
  readonly prunedThrough: number
}

/**
 * Checks the tenant's whole audit ledger in one pass: each entry against its key and the one before it, the signed
 * checkpoints on the way, and the end. Entries that are written meanwhile do not disturb it.
 */
export async function verifyAudit(op: Operation): Promise<LedgerVerification> {
  await settleLedger(op.db, op)
  const [keys, { all }] = await Promise.all([auditKeys(op.db, op.db), loadSigningKeys(op.db)])
  const trusted = new Map(all.map(({ kid, publicKey }) => [kid, publicKey]))
  return await inSnapshot(op.db, async (client) => await checkLedger(client, op.tenantId, { keys, trusted }))
}

async function checkLedger(
  client: pg.PoolClient,
  tenantId: string,
  { keys, trusted }: { readonly keys: AuditKeys; readonly trusted: TrustedKeys },
): Promise<LedgerVerification> {
  const sql = runnerOf(client)
  const [head] = await sql.query<ChainHead>('select seq, hash as event_hash from audit_heads where tenant_id = $1', [
    tenantId,
  ])
  const kept = await readCheckpoints(sql, tenantId)
  const start = kept.findLast(({ prunedThroughAt }) => prunedThroughAt !== null)
  const pruning = start === undefined ? undefined : new PruneProof(start.id, await waitingPrunes(sql, tenantId))
  const check = new ChainCheck({
    after: start?.checkpoint ?? GENESIS,
    secretOf: (keyId) => keys.all.get(keyId)?.secret,
  })
  const points = new CheckpointWalk(kept.slice(start === undefined ? 0 : kept.indexOf(start)), trusted)
  points.pass(check)
  for await (const lines of readLines(client, tenantId, check.head.seq)) {
    for (const line of lines) {
      check.take(line)
      points.pass(check)
      pruning?.look(line)
    }
  }
  points.finish(check)
  if (pruning?.isProven === false) check.note(check.head.seq, 'unexplained_prune')
  return {
    ...check.finish(head),
    checkpoints: points.met,
    prunedThrough: start?.checkpoint.seq ?? 0,
  }
}

/** Compares the chain with the checkpoints while it is walked along. */
class CheckpointWalk {
  readonly #points: readonly KeptCheckpoint[]
  readonly #trusted: TrustedKeys
  #next = 0
  #met = 0

  constructor(points: readonly KeptCheckpoint[], trusted: TrustedKeys) {
    this.#points = points
    this.#trusted = trusted
  }

  /** Checkpoints that agree with the chain so far. */
  get met(): number {
    return this.#met
  }

  /** To be called when the check stands at another entry. */
  pass(check: ChainCheck): void {
    for (let point = this.#points[this.#next]; point !== undefined; point = this.#points[this.#next]) {
      const { seq, event_hash } = point.checkpoint
      if (seq > check.head.seq) return
      this.#next++
      const isSame = seq === check.head.seq && event_hash === check.head.event_hash
      if (isSame && isSignedCheckpoint(point.checkpoint, this.#trusted)) this.#met++
      else check.note(seq, 'checkpoint_mismatch')
    }
  }

  /** Checkpoints beyond the end: the entries up to there are gone. */
  finish(check: ChainCheck): void {
    for (const { checkpoint } of this.#points.slice(this.#next)) check.note(checkpoint.seq, 'checkpoint_mismatch')
  }
}

const PRUNED = '{"action":"audit.pruned",'

/**
 * Entries may only be missing at the start when the service removed them: then the chain itself tells of it, further
 * on, naming the checkpoint.
 */
class PruneProof {
  readonly #checkpointId: string
  #isProven: boolean

  constructor(checkpointId: string, waiting: ReadonlySet<string>) {
    this.#checkpointId = checkpointId
    this.#isProven = waiting.has(checkpointId)
  }

  get isProven(): boolean {
    return this.#isProven
  }

  look({ text }: ChainLine): void {
    if (!this.#isProven && text.startsWith(PRUNED)) this.#isProven = text.includes(`,"target":"${this.#checkpointId}",`)
  }
}

/** A pruning that was committed a moment ago may still wait for its place in the chain. */
async function waitingPrunes(sql: SqlRunner, tenantId: string): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ target: string }>(
    `select target from audit_pending where tenant_id = $1 and action = 'audit.pruned'`,
    [tenantId],
  )
  return new Set(rows.map(({ target }) => target))
}

/** A connection of its own, all of whose statements see the same state. */
async function inSnapshot<T>(db: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await db.pool.connect().catch((error: unknown) => {
    throw explainFailure(error)
  })
  let failure: Error | undefined
  try {
    await client.query('begin isolation level repeatable read, read only')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw explainFailure(error)
  } finally {
    // A connection whose transaction was left open is not given to anybody else.
    client.release(failure)
  }
}

function runnerOf(client: pg.PoolClient): SqlRunner {
  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
      return (await client.query<Row>(text, [...values])).rows
    },
  }
}
