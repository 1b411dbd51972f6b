import type { Database } from '../database.ts'
import { chainWaiting } from './chain-waiting.ts'

interface Round {
  readonly work: Promise<void>
  /** The round after it, for entries that may have come too late for this one. */
  next: Promise<void> | undefined
}

const roundsOf = new WeakMap<Database, Map<string, Round>>()

/**
 * Comes back when everything that was committed to the tenant's ledger before the call has its place in the chain. One
 * round at a time runs for a tenant in a process; whoever calls meanwhile shares the next one, so that under load one
 * commit chains the entries of many. Throws what the database throws; the entries then wait for the next call.
 */
export async function settleLedger(
  db: Database,
  input: { readonly tenantId: string; readonly now: () => Date },
): Promise<void> {
  const rounds = roundsOf.get(db) ?? new Map<string, Round>()
  roundsOf.set(db, rounds)
  const running = rounds.get(input.tenantId)
  if (running === undefined) return await startRound(db, rounds, input)
  const start = async (): Promise<void> => await startRound(db, rounds, input)
  running.next ??= running.work.then(start, start)
  await running.next
}

function startRound(
  db: Database,
  rounds: Map<string, Round>,
  { tenantId, now }: { readonly tenantId: string; readonly now: () => Date },
): Promise<void> {
  const round: Round = {
    work: chainWaiting(db, tenantId, now).finally(() => {
      if (round.next === undefined) rounds.delete(tenantId)
    }),
    next: undefined,
  }
  rounds.set(tenantId, round)
  return round.work
}
