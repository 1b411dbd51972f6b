import type pg from 'pg'
import type { ChainLine } from '../../../../core/ledger/chain/check-chain.ts'

/** Rows read at once: enough to keep the connection busy, few enough to decode quickly. */
const BATCH = 1000

/**
 * SQL for an entry in the form of RFC 8785, without `event_hash`: the columns are named in the required order of
 * members. Postgres writes no blanks between members and escapes a text exactly as JavaScript does (the quote, the
 * backslash and the characters below U+0020, in lower-case hex), and a payload is stored in its canonical form, so that
 * no parsing and re-assembly is needed here.
 */
const STATEMENT = `
  select entry.seq, entry.key_id, entry.prev_hash, entry.hash, row_to_json(line)::text
  from audit_entries entry cross join lateral (
    select entry.action, entry.actor,
      to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
      1 as chain_version, entry.id, entry.key_id, entry.payload, entry.prev_hash, entry.request_id, entry.seq,
      entry.target, entry.tenant_id) line
  where entry.tenant_id = $1 and entry.seq > $2 order by entry.seq limit ${BATCH}`

type LineRow = [seq: number, keyId: string, prevHash: string, hash: string, text: string]

/**
 * Yields a tenant's entries after a position in its chain, in order, batch by batch; while the caller processes one,
 * Postgres reads the next.
 */
export async function* readLines(
  client: pg.ClientBase,
  tenantId: string,
  afterSeq: number,
): AsyncGenerator<readonly ChainLine[]> {
  const read = async (after: number): Promise<LineRow[]> => {
    const { rows } = await client.query<LineRow>({
      name: 'audit-lines',
      text: STATEMENT,
      values: [tenantId, after],
      rowMode: 'array',
    })
    return rows
  }
  let rows = await read(afterSeq)
  for (;;) {
    const last = rows.at(-1)
    if (last === undefined) return
    const next = rows.length < BATCH ? undefined : read(last[0])
    // Awaited below at the latest; until then its rejection must not count as unhandled.
    next?.catch(() => undefined)
    yield rows.map(([seq, keyId, prevHash, eventHash, text]) => ({ seq, keyId, prevHash, eventHash, text }))
    if (next === undefined) return
    rows = await next
  }
}
