import type { ChainLine } from '../../../../core/ledger/chain/check-chain.ts'

const PRUNED = '{"action":"audit.pruned",'

/**
 * Entries may be missing at the start only when the service removed them: then a later entry of the chain records it,
 * naming the checkpoint.
 */
export class PruneProof {
  readonly #target: string
  #isProven: boolean

  /** `isWaiting`: true when that entry is not chained yet. */
  constructor(checkpointId: string, { isWaiting }: { readonly isWaiting: boolean }) {
    this.#target = `,"target":${JSON.stringify(checkpointId)},`
    this.#isProven = isWaiting
  }

  get isProven(): boolean {
    return this.#isProven
  }

  /** Must be called with each entry. */
  look({ text }: ChainLine): void {
    if (!this.#isProven && text.startsWith(PRUNED)) this.#isProven = text.includes(this.#target)
  }
}
