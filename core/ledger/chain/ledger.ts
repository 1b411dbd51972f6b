import { canonicalJson, type JsonObject } from '../../kernel/json/json.ts'
import { macText, type Mac, type MacKey } from '../../kernel/json/mac.ts'

/** The columns that chain an entry to the one before it. */
export type ChainColumns = {
  /** Place in the tenant's chain, from 1, without gaps. */
  readonly seq: number
  readonly chain_version: 1
  readonly key_id: string
  readonly prev_hash: string
  readonly event_hash: Mac
}

/** The end of a chain: the predecessor of the next entry, or a point anchored elsewhere. */
export interface ChainHead {
  readonly seq: number
  readonly event_hash: string
}

/** Predecessor of the first entry. */
export const GENESIS: ChainHead = { seq: 0, event_hash: `hmac-sha256:${'0'.repeat(64)}` }

/** Columns of an entry that the caller fills; every one of them is under the MAC. */
export type LedgerFields = JsonObject

const CHAIN_COLUMNS: readonly string[] = ['seq', 'chain_version', 'key_id', 'prev_hash', 'event_hash']

/**
 * Chains an entry to the one before it: `event_hash` is HMAC-SHA256 over the RFC 8785 form of all its columns, the
 * chain's own included. Deterministic. Throws a `TypeError` when the fields use a name of the chain's own columns.
 */
export function appendEntry<F extends LedgerFields>(previous: ChainHead, fields: F, key: MacKey): F & ChainColumns {
  const chained = chain(previous, fields, key)
  return { ...chained, event_hash: macText(canonicalJson(chained), key.secret) }
}

/**
 * Chains an entry whose origin is not proven, such as a waiting row that was changed before it was chained. The entry
 * keeps its place, so that no data is lost and the chain continues, but its MAC also covers a mark that is not a
 * column: every later check reports `event_hash_mismatch` there.
 */
export function appendDoubtful<F extends LedgerFields>(previous: ChainHead, fields: F, key: MacKey): F & ChainColumns {
  const chained = chain(previous, fields, key)
  return { ...chained, event_hash: macText(canonicalJson({ ...chained, doubtful: true }), key.secret) }
}

function chain<F extends LedgerFields>(
  previous: ChainHead,
  fields: F,
  key: MacKey,
): F & Omit<ChainColumns, 'event_hash'> {
  const taken = CHAIN_COLUMNS.find((column) => Object.hasOwn(fields, column))
  if (taken !== undefined) throw new TypeError(`${taken} is a column of the chain`)
  return {
    ...fields,
    seq: previous.seq + 1,
    chain_version: 1 as const,
    key_id: key.keyId,
    prev_hash: previous.event_hash,
  }
}
