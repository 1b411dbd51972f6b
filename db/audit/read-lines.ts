import type pg from 'pg'
import type { ChainLine } from '../../core/evidence/ledger/check-chain.ts'

/** Rows that are read at once: enough to keep the connection busy, few enough not to hold up other calls. */
const BATCH = 2000

/**
 * An entry as RFC 8785 wants it, without `event_hash`: members by name, texts as JSON writes them. Postgres escapes a
 * text exactly as JavaScript does (the quote, the backslash and what lies below U+0020, in lower-case hex), and a
 * payload is stored in its canonical form, so that nothing has to be taken apart and put together again here.
 */
const CANONICAL_TEXT = `
  '{"action":' || to_json(action)::text
  || ',"actor":' || to_json(actor)::text
  || ',"at":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","chain_version":1,"id":' || to_json(id)::text
  || ',"key_id":' || to_json(key_id)::text
  || ',"payload":' || payload::text
  || ',"prev_hash":' || to_json(prev_hash)::text
  || ',"request_id":' || to_json(request_id)::text
  || ',"seq":' || seq
  || ',"target":' || coalesce(to_json(target)::text, 'null')
  || ',"tenant_id":' || to_json(tenant_id)::text || '}'`

const STATEMENT = `select seq, key_id, prev_hash, hash, ${CANONICAL_TEXT}
  from audit_entries where tenant_id = $1 and seq > $2 order by seq limit ${BATCH}`

type LineRow = [seq: number, keyId: string, prevHash: string, hash: string, text: string]

/**
 * A tenant's entries after a place in its chain, in order, batch by batch; while the caller looks at one, Postgres
 * reads the next.
 */
export async function* readLines(
  client: pg.PoolClient,
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
    // Awaited below at the latest; until then a failure of it is nobody's.
    next?.catch(() => undefined)
    yield rows.map(([seq, keyId, prevHash, eventHash, text]) => ({ seq, keyId, prevHash, eventHash, text }))
    if (next === undefined) return
    rows = await next
  }
}
