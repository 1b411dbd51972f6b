import { createHash } from 'node:crypto'
import { canonicalJson, type Sha256 } from '../../kernel/json/json.ts'
import { macText, type MacSecret } from '../../kernel/json/mac.ts'
import { leafHash, MerkleFrontier } from '../../ledger/merkle/frontier.ts'
import { parseRows, type HoldoutRow } from './parse-rows.ts'
import { corpusKeys, ROW_KEY_BYTES } from './row-key.ts'

/** Rows of a corpus as a caller gave them, and what their keys and digests are made with. */
export interface GivenCorpus {
  readonly rows: readonly unknown[]
  readonly tenantId: string
  /** Key of the service, for the keys of the rows. */
  readonly secret: MacSecret
  /** Salt of the corpus, for its root. */
  readonly salt: Uint8Array
  readonly rowBytes: number
}

/** A corpus that was read: its rows once each, in the order given. */
export interface PreparedCorpus {
  /** JSON lines of `{input, output}` in RFC 8785. */
  readonly bytes: Uint8Array
  /** Keys of the rows, one after the other. */
  readonly keys: Uint8Array
  readonly rowCount: number
  /** Rows left out, since one before them has the same input. */
  readonly skipped: number
  readonly root: Sha256
  /** SHA-256 of the sorted keys: the same for the same inputs in any order. */
  readonly normalizedHash: Sha256
}

/** Reads the rows of a corpus. Throws `validation_failed`, which names a row by its place and quotes nothing of it. */
export function prepareCorpus({ rows: given, tenantId, secret, salt, rowBytes }: GivenCorpus): PreparedCorpus {
  const rows: HoldoutRow[] = []
  const keys = new Map<string, Buffer>()
  const parsed = parseRows(given, 'rows', rowBytes)
  const keyOfRow = corpusKeys(
    secret,
    tenantId,
    parsed.map(({ input }) => input),
  )
  for (const [at, row] of parsed.entries()) {
    const key = keyOfRow[at]
    const name = key?.toString('latin1')
    if (key === undefined || name === undefined || keys.has(name)) continue
    keys.set(name, key)
    rows.push(row)
  }
  const all = new Uint8Array(keys.size * ROW_KEY_BYTES)
  for (const [at, key] of [...keys.values()].entries()) all.set(key, at * ROW_KEY_BYTES)
  return {
    bytes: Uint8Array.from(Buffer.from(rows.map((row) => `${canonicalJson({ ...row })}\n`).join(''))),
    keys: all,
    rowCount: rows.length,
    skipped: given.length - rows.length,
    root: saltedRoot(rows, salt),
    normalizedHash: normalizedHash([...keys.values()]),
  }
}

/** Returns the SHA-256 of the sorted keys of rows: the same for the same inputs in any order. */
export function normalizedHash(keys: readonly Buffer[]): Sha256 {
  const sorted = keys.toSorted((a, b) => a.compare(b))
  return `sha256:${createHash('sha256').update(Buffer.concat(sorted)).digest('hex')}`
}

/**
 * Returns the root of the Merkle tree (RFC 6962, 2.1) over the rows in their order. A leaf is the HMAC-SHA256 of the row's
 * RFC 8785 form under the salt of its corpus, so that the root confirms no guess of a row.
 */
export function saltedRoot(rows: readonly HoldoutRow[], salt: Uint8Array): Sha256 {
  const tree = new MerkleFrontier()
  for (const row of rows) tree.append(leafHash(macText(canonicalJson({ ...row }), salt)))
  return tree.root()
}
