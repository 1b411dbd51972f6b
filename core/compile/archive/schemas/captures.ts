import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson, type Sha256 } from '../../../kernel/json/json.ts'
import { AnyJson, Hash } from '../../../ledger/wire/fields.ts'
import { Count } from './fields.ts'

/** Captures that build.json lists one by one; of more it states the digest alone. */
export const MAX_LISTED_CAPTURES = 1000

const ChainHash = z.string().regex(/^[0-9a-f]{64}$/)

/** A capture: its id, its number in its chain, and the hash of its row there. */
const ListedCapture = z.strictObject({ id: z.string().min(1).max(64), seq: z.int().positive(), chain_hash: ChainHash })
export type ListedCapture = z.infer<typeof ListedCapture>

/** `captures` of build.json (`svc-captures-1`): the captures that became examples, each under its own id. */
export const CapturesDocument = z
  .object({
    spec: z.literal('svc-captures-1'),
    namespace: z.string(),
    used: z.int().positive(),
    /** Examples with an output that are no captures. */
    other_examples: Count,
    /** Captures that became no examples, by reason. */
    skipped: z.record(z.string(), Count),
    /** The ends of the namespace's chains when the captures were read; the open one is last. */
    chains: z.array(z.strictObject({ count: z.int().positive(), head: ChainHash })).min(1),
    /** See `CaptureDigest`. */
    digest: Hash,
    /** In the order of their ids; absent beyond `MAX_LISTED_CAPTURES`. */
    listed: z.array(ListedCapture).max(MAX_LISTED_CAPTURES).optional(),
  })
  .catchall(AnyJson)
export type CapturesDocument = z.infer<typeof CapturesDocument>

/** SHA-256 over the lines `[id, seq, chain_hash]` in RFC 8785 form, each with a line feed, in the order of the ids. */
export class CaptureDigest {
  readonly #hash = createHash('sha256')

  add({ id, seq, chain_hash: chainHash }: ListedCapture): void {
    this.#hash.update(`${canonicalJson([id, seq, chainHash])}\n`)
  }

  digest(): Sha256 {
    return `sha256:${this.#hash.digest('hex')}`
  }
}
