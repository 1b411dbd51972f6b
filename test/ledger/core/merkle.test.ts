import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { leafHash, MerkleFrontier, NODE_BYTES } from '../../../core/ledger/merkle/frontier.ts'
import { proveInclusion, rootOfProof } from '../../../core/ledger/merkle/inclusion.ts'

const leaves = (count: number) => Array.from({ length: count }, (_, i) => leafHash(`row ${i}`))

/** The root by the recursive definition of RFC 6962, 2.1. */
function definedRoot(hashes: readonly Buffer[]): Buffer {
  const [first] = hashes
  if (first === undefined) return createHash('sha256').digest()
  if (hashes.length === 1) return first
  let half = 1
  while (half * 2 < hashes.length) half *= 2
  const parts = [definedRoot(hashes.slice(0, half)), definedRoot(hashes.slice(half))]
  return createHash('sha256')
    .update(Buffer.from([1]))
    .update(Buffer.concat(parts))
    .digest()
}

function treeOf(hashes: readonly Buffer[]): MerkleFrontier {
  const tree = new MerkleFrontier()
  for (const hash of hashes) tree.append(hash)
  return tree
}

describe('a Merkle tree', () => {
  it('has the root that RFC 6962 defines, also when it was saved and restored', () => {
    for (let size = 0; size <= 70; size++) {
      const hashes = leaves(size)
      const root = `sha256:${definedRoot(hashes).toString('hex')}`
      expect(treeOf(hashes).root(), String(size)).to.equal(root)
      const half = treeOf(hashes.slice(0, size >> 1))
      const restored = MerkleFrontier.restore(half.size, half.save())
      for (const hash of hashes.slice(size >> 1)) restored.append(hash)
      expect(restored.root(), String(size)).to.equal(root)
    }
    expect(() => MerkleFrontier.restore(3, '')).to.throw('3 leaves')
  })

  it('agrees with the test vectors of Certificate Transparency', () => {
    // The leaf of the empty text, from the reference implementation.
    expect(leafHash('').toString('hex')).to.equal('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d')
  })

  it('proves each leaf, and no other', () => {
    for (let size = 1; size <= 33; size++) {
      const hashes = leaves(size)
      const root = treeOf(hashes).root()
      const bytes = Buffer.concat(hashes)
      for (const [index, leaf] of hashes.entries()) {
        const proof = proveInclusion(bytes, index)
        expect(rootOfProof(leaf, { index, size }, proof), `${index} of ${size}`).to.equal(root)
        const other = leafHash('another row')
        expect(rootOfProof(other, { index, size }, proof)).to.not.equal(root)
        expect(rootOfProof(leaf, { index, size }, [...proof, Buffer.alloc(NODE_BYTES)])).to.equal(null)
        if (size > 1) expect(rootOfProof(leaf, { index, size }, proof.slice(1))).to.not.equal(root)
      }
    }
    expect(() => proveInclusion(Buffer.concat(leaves(2)), 2)).to.throw('no leaf 2')
  })
})
