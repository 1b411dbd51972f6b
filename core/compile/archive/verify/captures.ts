import { isAnswerId } from '../../synthesis/questions/apply-answers.ts'
import type { ContentMembers } from '../members/content.ts'
import type { BuildDocument } from '../schemas/build.ts'
import { CaptureDigest, MAX_LISTED_CAPTURES, type CapturesDocument } from '../schemas/captures.ts'
import { demand } from './demand.ts'

/**
 * Checks the statements of build.json about the captures that were learned from, as far as the archive alone allows. The
 * list has the stated digest, each capture is within the chain, the newest row of a chain has its hash, and every scored
 * row is one of the captures. The holder of the namespace checks that the chain is the namespace's own
 * (`svc captures verify`).
 */
export function checkCaptures({ captures, seed_provenance: seeds }: BuildDocument, content: ContentMembers): string {
  if (captures === undefined) return 'learned from no captures'
  const { used, listed, digest, chains, namespace } = captures
  const end = chains.at(-1)
  demand(seeds.eval_source === 'tenant_captured', 'captures: seed_provenance does not say that rows are captures')
  demand((listed !== undefined) === used <= MAX_LISTED_CAPTURES, 'captures: the list is there up to 1,000 captures')
  if (listed !== undefined) checkList(listed, captures, content)
  const known = listed === undefined ? `the digest ${digest}` : 'each listed with its hash'
  return `${used} captures of ${namespace}, ${known}, in a chain of ${end?.count ?? 0}`
}

function checkList(
  listed: NonNullable<CapturesDocument['listed']>,
  { used, digest, chains, other_examples: others }: CapturesDocument,
  { evals }: ContentMembers,
): void {
  demand(listed.length === used, `captures: ${listed.length} are listed, not ${used}`)
  const hash = new CaptureDigest()
  for (const [place, capture] of listed.entries()) {
    const { id, seq, chain_hash: chainHash } = capture
    const before = listed[place - 1]
    demand(before === undefined || before.id < id, `captures: ${id} is out of order`)
    demand(
      chains.some(({ count, head }) => seq < count || (seq === count && chainHash === head)),
      `captures: ${id} is in none of the chains`,
    )
    hash.add(capture)
  }
  demand(hash.digest() === digest, 'captures: the digest is of another list')
  if (others > 0) return
  const ids = new Set(listed.map(({ id }) => id))
  const strange = evals.rows.find(({ id }) => !ids.has(id) && !isAnswerId(id))
  demand(strange === undefined, `captures: the row ${strange?.id} is none of them`)
}
