import type { ChainCheck } from '../../../../core/ledger/chain/check-chain.ts'
import { isSignedCheckpoint } from '../../../../core/ledger/chain/checkpoint.ts'
import type { TrustedKeys } from '../../../../core/ledger/keys/jwk.ts'
import type { KeptCheckpoint } from '../read-checkpoints.ts'

/** Compares the chain with the checkpoints along the way. */
export class CheckpointWalk {
  readonly #points: readonly KeptCheckpoint[]
  readonly #trusted: TrustedKeys
  #next = 0
  #met = 0

  constructor(points: readonly KeptCheckpoint[], trusted: TrustedKeys) {
    this.#points = points
    this.#trusted = trusted
  }

  /** Checkpoints that agree with the chain so far. */
  get met(): number {
    return this.#met
  }

  /** Must be called when the check reaches another entry. */
  pass(check: ChainCheck): void {
    for (let point = this.#points[this.#next]; point !== undefined; point = this.#points[this.#next]) {
      const { seq, event_hash } = point.checkpoint
      if (seq > check.head.seq) return
      this.#next++
      const isSame = seq === check.head.seq && event_hash === check.head.event_hash
      if (isSame && isSignedCheckpoint(point.checkpoint, this.#trusted)) this.#met++
      else check.note(seq, 'checkpoint_mismatch')
    }
  }

  /** Checkpoints beyond the end: the entries up to there are missing. */
  finish(check: ChainCheck): void {
    for (const { checkpoint } of this.#points.slice(this.#next)) check.note(checkpoint.seq, 'checkpoint_mismatch')
  }
}
