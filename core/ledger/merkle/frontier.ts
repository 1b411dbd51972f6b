import { hash } from 'node:crypto'
import type { Sha256 } from '../../kernel/json/json.ts'

/** Bytes of a node of the tree. */
export const NODE_BYTES = 32

/** Returns the hash of a leaf (RFC 6962, 2.1): SHA-256 of a zero byte and the leaf's UTF-8 text. */
export function leafHash(text: string): Buffer {
  return hash('sha256', `\0${text}`, 'buffer')
}

/** Returns the hash of an inner node (RFC 6962, 2.1): SHA-256 of the byte 1 and both children. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(1 + 2 * NODE_BYTES)
  bytes[0] = 1
  bytes.set(left, 1)
  bytes.set(right, 1 + NODE_BYTES)
  return hash('sha256', bytes, 'buffer')
}

/**
 * A Merkle tree (RFC 6962, 2.1) that leaves are appended to. It holds the roots of the complete subtrees only: one for
 * each set bit of its size.
 */
export class MerkleFrontier {
  #size = 0
  #roots: Buffer[] = []

  /** Restores a tree of `size` leaves from the text that `save` returned. Throws for a text of another size. */
  static restore(size: number, text: string): MerkleFrontier {
    const bytes = Buffer.from(text, 'base64')
    const roots: Buffer[] = []
    for (let at = 0; at < bytes.length; at += NODE_BYTES) roots.push(bytes.subarray(at, at + NODE_BYTES))
    if (bytes.length % NODE_BYTES !== 0 || roots.length !== setBits(size)) {
      throw new Error(`a saved tree of ${size} leaves has ${roots.length} subtrees`)
    }
    const tree = new MerkleFrontier()
    tree.#size = size
    tree.#roots = roots
    return tree
  }

  /** Number of leaves. */
  get size(): number {
    return this.#size
  }

  /** Appends a leaf by its hash. */
  append(leaf: Uint8Array): void {
    let node: Buffer = Buffer.from(leaf)
    for (let bits = this.#size; bits % 2 === 1; bits = Math.floor(bits / 2)) {
      const left = this.#roots.pop()
      if (left !== undefined) node = nodeHash(left, node)
    }
    this.#roots.push(node)
    this.#size++
  }

  /** Returns the root of the leaves so far; of no leaves the hash of the empty text. */
  root(): Sha256 {
    const last = this.#roots.at(-1)
    const root =
      last === undefined ? hash('sha256', '', 'buffer') : this.#roots.slice(0, -1).reduceRight(joinLeft, last)
    return `sha256:${root.toString('hex')}`
  }

  /** Returns the tree as a text of at most a few hundred characters, for `restore`. */
  save(): string {
    return Buffer.concat(this.#roots).toString('base64')
  }
}

function joinLeft(right: Buffer, left: Buffer): Buffer {
  return nodeHash(left, right)
}

function setBits(size: number): number {
  let bits = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2
  return bits
}
