import type { CaptureFacts } from '../../../core/gateway/captures/capture.ts'
import { CaptureCheck, type CaptureBreak, type CapturesChecked } from '../../../core/gateway/captures/check-captures.ts'
import { jsonHash, textHash } from '../../../core/gateway/captures/digest.ts'
import type { TrustedKeys } from '../../../core/ledger/keys/jwk.ts'
import { loadSigningKeys } from '../../ledger/across/signing-keys.ts'
import { hex, wholeContent } from './get-capture.ts'
import { CAPTURE_COLUMNS, DETAIL_COLUMNS, type CaptureReader } from './read-columns.ts'

/** Rows that are read at once, with their contents. */
const BATCH = 250

/** Result of checking the captures of a namespace. */
export interface CapturesVerified {
  readonly ok: boolean
  /** Rows that were checked. */
  readonly chainLength: number
  /** Rows that were removed at the end of their time. */
  readonly cutThrough: number
  /** Signed checkpoints that agree. */
  readonly checkpoints: number
  /** Hash of the newest row of the open chain, hexadecimal; 64 zeros before the first. */
  readonly head: string
  /** Number of the first row that does not fit. */
  readonly brokenAt?: number
  readonly reason?: CaptureBreak
}

/**
 * Checks the chains of a namespace from their beginnings: each row against the one before it, its content against its
 * hashes, the signed checkpoints on the way, and the end. Reads rows batch by batch. Forgotten captures, and those
 * whose content was left out, have none to check, and that of a capture that was redacted later is not compared. Rows that are written meanwhile are left out.
 */
export async function verifyCaptures(op: CaptureReader, namespace: string): Promise<CapturesVerified> {
  const { all } = await loadSigningKeys(op.db)
  const trusted: TrustedKeys = new Map(all.map(({ kid, publicKey }) => [kid, publicKey]))
  // Before the chains: each then reaches beyond all of its checkpoints that were read.
  const points = await op.read((q) =>
    q
      .selectFrom('capture_checkpoints')
      .select(['chain_id as chainId', 'count', 'document'])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .orderBy('chain_id')
      .orderBy('count'),
  )
  const chains = await op.read((q) =>
    q
      .selectFrom('capture_chains')
      .select(['id', 'namespace', 'begun_for as begunFor', 'is_open as isOpen', 'count', 'head'])
      .select(['cut_through as cutThrough', 'cut_head as cutHead'])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .orderBy('is_open')
      .orderBy('id'),
  )
  const sum = { ok: true, chainLength: 0, cutThrough: 0, checkpoints: 0, head: '0'.repeat(64) }
  let broken: Pick<CapturesVerified, 'brokenAt' | 'reason'> = {}
  for (const chain of chains) {
    const check = new CaptureCheck({
      chain,
      after: { count: chain.cutThrough, hash: chain.cutHead },
      checkpoints: points.filter(({ chainId }) => chainId === chain.id),
      trusted,
    })
    const found = await checkRows(op, chain, check)
    sum.ok &&= found.ok
    sum.chainLength += found.checked
    sum.cutThrough += chain.cutThrough
    sum.checkpoints += found.checkpoints
    if (chain.isOpen) sum.head = hex(found.head.hash)
    if (found.brokenAt !== null && found.reason !== null && broken.brokenAt === undefined) {
      broken = { brokenAt: found.brokenAt, reason: found.reason }
    }
  }
  // A checkpoint of a chain that is gone.
  const known = new Set(chains.map(({ id }) => id))
  const orphan = points.find(({ chainId }) => !known.has(chainId))
  if (orphan !== undefined) return { ...sum, ok: false, brokenAt: 1, reason: 'checkpoint_mismatch' }
  return { ...sum, ...broken }
}

async function checkRows(
  op: CaptureReader,
  chain: { readonly id: number; readonly count: number; readonly head: Uint8Array; readonly cutThrough: number },
  check: CaptureCheck,
): Promise<CapturesChecked> {
  for (let after = chain.cutThrough; after < chain.count;) {
    const rows = await readRows(op, chain, after)
    const last = rows.at(-1)
    if (last === undefined) break
    for (const row of rows) {
      const { seq, prevHash, chainHash } = row
      check.take({ facts: factsOf(op.tenantId, row), seq, prevHash, chainHash })
      const reason = await contentBreak(op, row)
      if (reason !== undefined) check.note(seq, reason)
    }
    // A repeated number must not stop the walk.
    after = Math.max(after + 1, last.seq)
  }
  return check.finish({ count: chain.count, hash: chain.head })
}

async function readRows(op: CaptureReader, chain: { readonly id: number; readonly count: number }, after: number) {
  return await op.read((q) =>
    q
      .selectFrom('captures as c')
      .leftJoin('capture_contents as x', 'x.id', 'c.id')
      .select(CAPTURE_COLUMNS)
      .select(DETAIL_COLUMNS)
      .select(['x.id as contentId', 'x.prompt', 'x.response', 'x.body', 'x.answer', 'x.blob_sha256 as blobSha256'])
      .select('x.redacted_at as redactedAt')
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.chain_id', '=', chain.id)
      .where('c.seq', '>', after)
      .where('c.seq', '<=', chain.count)
      .orderBy('c.seq')
      .limit(BATCH),
  )
}

type Row = Awaited<ReturnType<typeof readRows>>[number]

/** The facts of a row as they were chained. */
function factsOf(tenantId: string, row: Row): CaptureFacts {
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens, isEstimated } = row
  return {
    ...row,
    tenantId,
    usage: { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens, isEstimated },
    inputHash: hex(row.inputHash),
    outputHash: hex(row.outputHash),
    promptHash: row.promptHash && hex(row.promptHash),
    responseHash: row.responseHash && hex(row.responseHash),
    answerHash: row.answerHash && hex(row.answerHash),
    receiptHash: row.receipt && jsonHash(row.receipt),
  }
}

async function contentBreak(op: CaptureReader, row: Row): Promise<CaptureBreak | undefined> {
  if (row.promptHash === null || row.responseHash === null || row.answerHash === null) return undefined
  if (row.contentId === null)
    return row.forgottenAt === null && row.contentLeftOut === null ? 'content_missing' : undefined
  if (row.redactedAt !== null) return undefined
  const { body, answer } = row
  const small = { prompt: row.prompt ?? '', response: row.response ?? '', body, answer }
  const content = await wholeContent(op, small, row.blobSha256)
  const isSame =
    textHash(content.prompt) === hex(row.promptHash) &&
    textHash(content.response) === hex(row.responseHash) &&
    jsonHash(content.answer) === hex(row.answerHash) &&
    (content.body === null || jsonHash(content.body) === hex(row.inputHash))
  return isSame ? undefined : 'content_mismatch'
}
