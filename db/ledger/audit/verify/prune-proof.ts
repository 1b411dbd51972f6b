import type { ChainLine } from '../../../../core/ledger/chain/check-chain.ts'

const PRUNED = '{"action":"audit.pruned",'

/**
 * Entries may only be missing at the start when the service removed them: then the chain itself tells of it, further
 * on, naming the checkpoint.
 */
export class PruneProof {
  readonly #target: string
  #isProven: boolean

  /** `isWaiting`: true when the entry that tells of it has no place in the chain yet. */
  constructor(checkpointId: string, { isWaiting }: { readonly isWaiting: boolean }) {
    this.#target = `,"target":${JSON.stringify(checkpointId)},`
    this.#isProven = isWaiting
  }

  get isProven(): boolean {
    return this.#isProven
  }

  /** To be called with each entry. */
  look({ text }: ChainLine): void {
    if (!this.#isProven && text.startsWith(PRUNED)) this.#isProven = text.includes(this.#target)
  }
}
