import { setImmediate as giveWay } from 'node:timers/promises'
import type pg from 'pg'
import { ChainCheck, type ChainVerification } from '../../../../core/ledger/chain/check-chain.ts'
import { GENESIS } from '../../../../core/ledger/chain/ledger.ts'
import type { TrustedKeys } from '../../../../core/ledger/keys/jwk.ts'
import { readerOver } from '../../../kernel/queries/read.ts'
import { ENTER_TENANT } from '../../../kernel/tenant/tenant-role.ts'
import type { AuditKeys } from '../audit-key.ts'
import { readCheckpoints } from '../read-checkpoints.ts'
import { findWaiting } from '../chain/wait-for-chain.ts'
import { CheckpointWalk } from './checkpoint-walk.ts'
import { PruneProof } from './prune-proof.ts'
import { readLines } from './read-lines.ts'

/** A ledger to check, and the keys to check it with. */
export interface LedgerCheck {
  readonly tenantId: string
  /** The ledger's keys by id. */
  readonly keys: AuditKeys['all']
  /** The keys that may have signed checkpoints. */
  readonly trusted: TrustedKeys
}

/** Result of checking a tenant's ledger. */
export interface LedgerVerification extends ChainVerification {
  /** Signed checkpoints met on the way. */
  readonly checkpoints: number
  /** Number of the last entry removed at the end of its retention; 0 when all exist. */
  readonly prunedThrough: number
}

/** Entries checked in one go, about a millisecond of work; then the event loop turns. */
const SLICE = 200

/** Entries after which a check reports how many it has done. */
const REPORT_EVERY = 50 * SLICE

/**
 * Checks a tenant's ledger, in a snapshot: entries that are written meanwhile do not disturb it. Calls `onChecked` with
 * the number of entries that are checked, now and then.
 */
export async function checkLedger(
  client: pg.ClientBase,
  ledger: LedgerCheck,
  onChecked?: (checked: number) => void,
): Promise<LedgerVerification> {
  await client.query('begin isolation level repeatable read, read only')
  await client.query(ENTER_TENANT, [ledger.tenantId, ''])
  const found = await checkSnapshot(client, ledger, onChecked)
  await client.query('commit')
  return found
}

async function checkSnapshot(
  client: pg.ClientBase,
  { tenantId, keys, trusted }: LedgerCheck,
  onChecked?: (checked: number) => void,
): Promise<LedgerVerification> {
  const from = readerOver(async ({ sql, parameters }) => (await client.query<object>(sql, [...parameters])).rows)
  const [head] = await from.read((q) =>
    q.selectFrom('audit_heads').select(['seq', 'hash as event_hash']).where('tenant_id', '=', tenantId),
  )
  const kept = await readCheckpoints(from, tenantId)
  const start = kept.findLast(({ prunedThroughAt }) => prunedThroughAt !== null)
  // The entry about a pruning may have been committed a moment ago and not be chained yet.
  const waiting = await findWaiting(from, keys, { tenantId, action: 'audit.pruned' })
  const pruning = start && new PruneProof(start.id, { isWaiting: waiting.some(({ target }) => target === start.id) })
  const check = new ChainCheck({
    after: start?.checkpoint ?? GENESIS,
    secretOf: (keyId) => keys.get(keyId)?.secret,
  })
  const points = new CheckpointWalk(kept.slice(start === undefined ? 0 : kept.indexOf(start)), trusted)
  points.pass(check)
  let taken = 0
  for await (const lines of readLines(client, tenantId, check.head.seq)) {
    for (const line of lines) {
      check.take(line)
      points.pass(check)
      pruning?.look(line)
      if (++taken % REPORT_EVERY === 0) onChecked?.(taken)
      if (taken % SLICE === 0) await giveWay()
    }
  }
  points.finish(check)
  if (pruning?.isProven === false) check.note(check.head.seq, 'unexplained_prune')
  return { ...check.finish(head), checkpoints: points.met, prunedThrough: start?.checkpoint.seq ?? 0 }
}
