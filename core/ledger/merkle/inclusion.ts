import type { Sha256 } from '../../kernel/json/json.ts'
import { MerkleFrontier, NODE_BYTES, nodeHash } from './frontier.ts'

/** Proof that a leaf is in a tree: the siblings on its way to the root, nearest first. */
export type InclusionProof = readonly Uint8Array[]

/** Hashes of leaves, one after the other. */
export type LeafHashes = Uint8Array

/** Returns the proof of the leaf at `index`, counted from 0 (RFC 6962, 2.1.1). Throws when there is no such leaf. */
export function proveInclusion(leaves: LeafHashes, index: number): InclusionProof {
  const size = leaves.length / NODE_BYTES
  if (!Number.isInteger(index) || index < 0 || index >= size) throw new RangeError(`the tree has no leaf ${index}`)
  return pathTo(leaves, index, 0, size)
}

/**
 * Returns the root that a leaf, its index and its proof lead to (RFC 9162, 2.1.3.2); null for a proof that cannot belong
 * to a tree of this size.
 */
export function rootOfProof(
  leaf: Uint8Array,
  { index, size }: { readonly index: number; readonly size: number },
  proof: InclusionProof,
): Sha256 | null {
  if (index < 0 || index >= size) return null
  let node = leaf
  let at = index
  let last = size - 1
  for (const sibling of proof) {
    if (last === 0 || sibling.length !== NODE_BYTES) return null
    if (at % 2 === 1 || at === last) {
      node = nodeHash(sibling, node)
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2)
        last = Math.floor(last / 2)
      }
    } else node = nodeHash(node, sibling)
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? `sha256:${Buffer.from(node).toString('hex')}` : null
}

function pathTo(leaves: LeafHashes, index: number, from: number, to: number): Uint8Array[] {
  if (to - from === 1) return []
  const middle = from + largestPowerBelow(to - from)
  return index < middle
    ? [...pathTo(leaves, index, from, middle), rootOf(leaves, middle, to)]
    : [...pathTo(leaves, index, middle, to), rootOf(leaves, from, middle)]
}

function rootOf(leaves: LeafHashes, from: number, to: number): Uint8Array {
  const tree = new MerkleFrontier()
  for (let at = from; at < to; at++) tree.append(leaves.subarray(at * NODE_BYTES, (at + 1) * NODE_BYTES))
  return Buffer.from(tree.root().slice('sha256:'.length), 'hex')
}

function largestPowerBelow(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}
