import { createHmac } from 'node:crypto'
import { canonicalJson, isJsonObject, type Json } from '../../kernel/json/json.ts'
import type { MacSecret } from '../../kernel/json/mac.ts'
import type { ChainHead } from './ledger.ts'

/** Reasons why a chain is broken at an entry or at its end. */
export type BreakReason =
  | 'sequence_gap'
  | 'prev_hash_mismatch'
  | 'event_hash_mismatch'
  | 'unknown_key'
  | 'head_mismatch'
  | 'checkpoint_mismatch'
  | 'unexplained_prune'

/** A break in a chain: the position among the entries read, and the entry's number and id. */
export interface ChainBreak {
  readonly index: number
  readonly seq: number | null
  readonly id: string | null
  readonly reason: BreakReason
}

/** Result of a chain's check. `breaks` names at most the first hundred. */
export interface ChainVerification {
  readonly ok: boolean
  readonly total: number
  readonly breaks: readonly ChainBreak[]
  /** `seq` of the first broken entry; null when it has none or the chain is intact. */
  readonly broken_at: number | null
  readonly head: ChainHead
}

/** Input of the check: one entry. */
export interface ChainLine {
  readonly seq: number
  readonly keyId: string
  readonly prevHash: string
  readonly eventHash: string
  /**
   * All columns but `event_hash` as one JSON object in the order of RFC 8785. The payload may be in its stored form;
   * the check canonicalises it if needed.
   */
  readonly text: string
}

const MAX_BREAKS = 100

/** Checks a chain entry by entry, in order, keeping only its current state. */
export class ChainCheck {
  readonly #secretOf: (keyId: string) => MacSecret | undefined
  readonly #breaks: ChainBreak[] = []
  #isOk = true
  #head: ChainHead
  #total = 0

  /** `after`: where the chain starts, a checkpoint when older entries were pruned. */
  constructor(options: { readonly after: ChainHead; readonly secretOf: (keyId: string) => MacSecret | undefined }) {
    this.#head = options.after
    this.#secretOf = options.secretOf
  }

  /** The last checked entry. */
  get head(): ChainHead {
    return this.#head
  }

  /** Checks the next entry. */
  take(line: ChainLine): void {
    const index = this.#total++
    const reason = this.#reasonAgainst(line)
    if (reason !== undefined) this.#note({ index, seq: line.seq, id: idOf(line.text), reason })
    this.#head = { seq: line.seq, event_hash: line.eventHash }
  }

  /** Records a break found outside the entries, at the current position. */
  note(seq: number | null, reason: BreakReason): void {
    this.#note({ index: this.#total, seq, id: null, reason })
  }

  /**
   * Returns the result. `anchored` is the end of the chain from an external source; without it, the removal of the
   * newest entries cannot be detected.
   */
  finish(anchored: ChainHead | undefined): ChainVerification {
    const head = this.#head
    if (anchored !== undefined && (anchored.seq !== head.seq || anchored.event_hash !== head.event_hash)) {
      this.note(anchored.seq, 'head_mismatch')
    }
    return {
      ok: this.#isOk,
      total: this.#total,
      breaks: this.#breaks,
      broken_at: this.#breaks[0]?.seq ?? null,
      head,
    }
  }

  #note(found: ChainBreak): void {
    this.#isOk = false
    if (this.#breaks.length < MAX_BREAKS) this.#breaks.push(found)
  }

  #reasonAgainst(line: ChainLine): BreakReason | undefined {
    if (line.seq !== this.#head.seq + 1) return 'sequence_gap'
    if (line.prevHash !== this.#head.event_hash) return 'prev_hash_mismatch'
    const secret = this.#secretOf(line.keyId)
    if (secret === undefined) return 'unknown_key'
    if (isMacOf(line.text, secret, line.eventHash)) return undefined
    const canonical = canonicalOf(line.text)
    return canonical !== undefined && isMacOf(canonical, secret, line.eventHash) ? undefined : 'event_hash_mismatch'
  }
}

/** Plain comparison: both values are stored already, so its timing reveals no secret. */
function isMacOf(text: string, secret: MacSecret, mac: string): boolean {
  return mac === `hmac-sha256:${createHmac('sha256', secret).update(text).digest('hex')}`
}

/**
 * Returns the canonical form of a line whose payload was stored in another form. Undefined when the text is not the
 * compact JSON of its own values, for example with a repeated member: readers could then disagree on its value.
 */
function canonicalOf(text: string): string | undefined {
  const parsed = parse(text)
  return parsed !== undefined && JSON.stringify(parsed) === text ? canonicalJson(parsed) : undefined
}

function idOf(text: string): string | null {
  const parsed = parse(text)
  const id = isJsonObject(parsed) ? parsed['id'] : undefined
  return typeof id === 'string' ? id : null
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
