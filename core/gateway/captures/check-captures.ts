import { z } from 'zod'
import type { JsonObject } from '../../kernel/json/json.ts'
import type { TrustedKeys } from '../../ledger/keys/jwk.ts'
import { checkDocument, Ed25519Block, signDocument } from '../../ledger/keys/sealed-document.ts'
import type { SigningKey } from '../../ledger/keys/signing-key.ts'
import type { CaptureFacts } from './capture.ts'
import { chainHash, rowDigest, type CaptureHead } from './digest.ts'

/** Rows after which a chain is signed automatically. */
export const SIGN_EVERY = 1000

/** A chain, and what its checkpoints say of it. */
export interface ChainName {
  readonly id: number
  /** The tenant that the chain was begun for. */
  readonly begunFor: string
  readonly namespace: string
}

const Checkpoint = z.strictObject({
  spec: z.literal('svc-capture-checkpoint-1'),
  tenant_id: z.string(),
  namespace: z.string(),
  chain_id: z.int(),
  count: z.int(),
  head: z.string(),
  at: z.string(),
  signature_ed25519: Ed25519Block,
})

/** Signs the state of a chain: its namespace, the number of its rows and the hash of the last one. */
export function signCaptures(chain: ChainName, head: CaptureHead, at: Date, signer: SigningKey): JsonObject {
  return signDocument(
    {
      spec: 'svc-capture-checkpoint-1',
      tenant_id: chain.begunFor,
      namespace: chain.namespace,
      chain_id: chain.id,
      count: head.count,
      head: hex(head.hash),
      at: at.toISOString(),
    },
    signer,
  )
}

/** Reasons why a chain is broken. */
export type CaptureBreak =
  | 'sequence_gap'
  | 'prev_hash_mismatch'
  | 'row_mismatch'
  | 'content_mismatch'
  | 'content_missing'
  | 'head_mismatch'
  | 'checkpoint_mismatch'

/** Result of checking a chain. */
export interface CapturesChecked {
  readonly ok: boolean
  /** Rows that were checked. */
  readonly checked: number
  readonly checkpoints: number
  readonly head: CaptureHead
  /** Number of the first row that does not fit; null when all do. */
  readonly brokenAt: number | null
  readonly reason: CaptureBreak | null
}

/** A row as it is stored. */
export interface ChainedRow {
  readonly facts: CaptureFacts
  readonly seq: number
  readonly prevHash: Uint8Array
  readonly chainHash: Uint8Array
}

/** A stored checkpoint. */
export interface StoredCheckpoint {
  readonly count: number
  readonly document: JsonObject
}

/** Checks a chain row by row, in order, keeping only its state. */
export class CaptureCheck {
  readonly #chain: ChainName
  readonly #trusted: TrustedKeys
  readonly #points: readonly StoredCheckpoint[]
  #next = 0
  #met = 0
  #head: CaptureHead
  #checked = 0
  #brokenAt: number | null = null
  #reason: CaptureBreak | null = null

  /** `after`: where the chain begins, genesis or the place of a cut. `checkpoints` are in the order of their counts. */
  constructor(options: {
    readonly chain: ChainName
    readonly after: CaptureHead
    readonly checkpoints: readonly StoredCheckpoint[]
    readonly trusted: TrustedKeys
  }) {
    this.#chain = options.chain
    this.#trusted = options.trusted
    this.#points = options.checkpoints.filter(({ count }) => count >= options.after.count)
    this.#head = options.after
    this.#pass()
    // What was cut off is vouched for by nothing but the checkpoint at the cut.
    if (options.after.count > 0 && this.#met === 0) this.note(options.after.count, 'checkpoint_mismatch')
  }

  /** Checks the next row. */
  take(row: ChainedRow): void {
    this.#checked++
    const { count, hash } = this.#head
    if (row.seq !== count + 1) this.note(count + 1, 'sequence_gap')
    else if (!equal(row.prevHash, hash)) this.note(row.seq, 'prev_hash_mismatch')
    else if (!equal(row.chainHash, chainHash(row.prevHash, rowDigest(row.facts, row.seq))))
      this.note(row.seq, 'row_mismatch')
    this.#head = { count: row.seq, hash: row.chainHash }
    this.#pass()
  }

  /** Records a break that was found outside of the rows' own fields. The first one is kept. */
  note(seq: number, reason: CaptureBreak): void {
    if (this.#brokenAt !== null && this.#brokenAt <= seq) return
    this.#brokenAt = seq
    this.#reason = reason
  }

  /** Returns the result. `stored` is the end that the chain's own record tells. */
  finish(stored: CaptureHead): CapturesChecked {
    const head = this.#head
    // Signed rows beyond the end are missing.
    for (const { count } of this.#points.slice(this.#next))
      this.note(Math.min(count, head.count + 1), 'checkpoint_mismatch')
    if (stored.count !== head.count || !equal(stored.hash, head.hash))
      this.note(Math.min(stored.count, head.count + 1), 'head_mismatch')
    return {
      ok: this.#brokenAt === null,
      checked: this.#checked,
      checkpoints: this.#met,
      head,
      brokenAt: this.#brokenAt,
      reason: this.#reason,
    }
  }

  #pass(): void {
    for (let point = this.#points[this.#next]; point !== undefined; point = this.#points[this.#next]) {
      if (point.count > this.#head.count) return
      this.#next++
      if (point.count === this.#head.count && this.#agrees(point)) this.#met++
      else this.note(point.count, 'checkpoint_mismatch')
    }
  }

  #agrees({ count, document }: StoredCheckpoint): boolean {
    const parsed = Checkpoint.safeParse(document)
    if (!parsed.success) return false
    const { signature_ed25519: block, ...said } = parsed.data
    return (
      said.count === count &&
      said.head === hex(this.#head.hash) &&
      said.chain_id === this.#chain.id &&
      said.tenant_id === this.#chain.begunFor &&
      said.namespace === this.#chain.namespace &&
      checkDocument({ ...said, signature_ed25519: block }, this.#trusted) === 'trusted'
    )
  }
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
