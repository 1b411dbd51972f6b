import { canonicalJson, type JsonObject } from '../../json.ts'
import { macText, sameMac, type Mac, type MacKey } from '../keys/mac.ts'
import type { FindSecret } from '../keys/secret-lookup.ts'

/** The columns that chain an entry to the one before it. */
export type ChainColumns = {
  /** Place in the tenant's chain, from 1, without gaps. */
  readonly seq: number
  readonly chain_version: 1
  readonly key_id: string
  readonly prev_hash: string
  readonly event_hash: Mac
}

/** The end of a chain: where the next entry goes, or a point that was anchored elsewhere. */
export interface ChainHead {
  readonly seq: number
  readonly event_hash: string
}

/** What stands before the first entry. */
export const GENESIS: ChainHead = { seq: 0, event_hash: `hmac-sha256:${'0'.repeat(64)}` }

/** Columns of an entry that the caller fills; every one of them is under the MAC. */
export type LedgerFields = JsonObject

const CHAIN_COLUMNS: readonly string[] = ['seq', 'chain_version', 'key_id', 'prev_hash', 'event_hash']

/**
 * Chains an entry to the one before it: `event_hash` is HMAC-SHA256 over the RFC 8785 form of all its columns, the
 * chain's own included. Deterministic. Throws a `TypeError` when the fields use a name of the chain's own columns.
 */
export function appendEntry<F extends LedgerFields>(previous: ChainHead, fields: F, key: MacKey): F & ChainColumns {
  const taken = CHAIN_COLUMNS.find((column) => Object.hasOwn(fields, column))
  if (taken !== undefined) throw new TypeError(`${taken} is a column of the chain`)
  const chained = {
    ...fields,
    seq: previous.seq + 1,
    chain_version: 1 as const,
    key_id: key.keyId,
    prev_hash: previous.event_hash,
  }
  return { ...chained, event_hash: macText(canonicalJson(chained), key.secret) }
}

/** Why a chain is broken at an entry. */
export type BreakReason =
  | 'malformed'
  | 'sequence_gap'
  | 'prev_hash_mismatch'
  | 'event_hash_mismatch'
  | 'unknown_key'
  | 'head_mismatch'

/** One place where a chain is broken: the position in what was read, and the entry's own number and id. */
export interface ChainBreak {
  readonly index: number
  readonly seq: number | null
  readonly id: string | null
  readonly reason: BreakReason
}

/** What a check of a chain found. `breaks` names at most the first hundred. */
export interface ChainVerification {
  readonly ok: boolean
  readonly total: number
  readonly breaks: readonly ChainBreak[]
  /** `seq` of the first broken entry; null when it has none or nothing is broken. */
  readonly broken_at: number | null
  readonly head: ChainHead
}

const MAX_BREAKS = 100

/**
 * Checks a chain in order, one entry in memory at a time. `after` is where it starts (a checkpoint when older entries
 * were pruned), `head` an end that was anchored elsewhere: without it nobody can tell that the newest entries are gone.
 */
export async function verifyChain(
  entries: AsyncIterable<LedgerFields> | Iterable<LedgerFields>,
  options: { readonly findSecret: FindSecret; readonly after?: ChainHead; readonly head?: ChainHead },
): Promise<ChainVerification> {
  const breaks: ChainBreak[] = []
  const note = (index: number, entry: LedgerFields, reason: BreakReason): void => {
    const { seq, id } = entry
    const place = { seq: typeof seq === 'number' ? seq : null, id: typeof id === 'string' ? id : null }
    if (breaks.length < MAX_BREAKS) breaks.push({ index, ...place, reason })
  }
  let head = options.after ?? GENESIS
  let total = 0
  for await (const entry of entries) {
    const index = total++
    const chain = chainColumns(entry)
    if (chain === undefined) {
      note(index, entry, 'malformed')
      continue
    }
    if (chain.seq !== head.seq + 1) note(index, entry, 'sequence_gap')
    else if (chain.prev_hash !== head.event_hash) note(index, entry, 'prev_hash_mismatch')
    else {
      const reason = await checkEntry(entry, chain, options.findSecret)
      if (reason !== undefined) note(index, entry, reason)
    }
    head = { seq: chain.seq, event_hash: chain.event_hash }
  }
  const anchored = options.head
  if (anchored !== undefined && (anchored.seq !== head.seq || anchored.event_hash !== head.event_hash)) {
    note(total, { seq: anchored.seq }, 'head_mismatch')
  }
  return { ok: breaks.length === 0, total, breaks, broken_at: breaks[0]?.seq ?? null, head }
}

async function checkEntry(
  entry: LedgerFields,
  chain: { readonly key_id: string; readonly event_hash: string },
  findSecret: FindSecret,
): Promise<BreakReason | undefined> {
  const found = await findSecret(chain.key_id)
  if (found.state !== 'live') return 'unknown_key'
  const { event_hash: _hash, ...columns } = entry
  return sameMac(macText(canonicalJson(columns), found.secret), chain.event_hash) ? undefined : 'event_hash_mismatch'
}

function chainColumns(
  entry: LedgerFields,
):
  | { readonly seq: number; readonly key_id: string; readonly prev_hash: string; readonly event_hash: string }
  | undefined {
  const { seq, chain_version: version, key_id, prev_hash, event_hash } = entry
  const isChained =
    typeof seq === 'number' &&
    version === 1 &&
    typeof key_id === 'string' &&
    typeof prev_hash === 'string' &&
    typeof event_hash === 'string'
  return isChained ? { seq, key_id, prev_hash, event_hash } : undefined
}
