import type { Tokenizer } from '../../tokenizer/tokenizer.ts'

/** The bytes that each token adds to the text, for threads that have no tokenizer. Empty: a special or unused token. */
export interface TokenBytes {
  readonly bytes: Uint8Array<SharedArrayBuffer>
  /** Token i has the bytes from `offsets[i]` to `offsets[i + 1]`. */
  readonly offsets: Int32Array<SharedArrayBuffer>
  /** The text that the tokenizer puts in front of every text, and so in front of the answers of training. */
  readonly lead: string
}

/** Collects the bytes of a tokenizer's tokens 0 to `size` − 1. */
export function collectTokenBytes(tokenizer: Pick<Tokenizer, 'tokenBytes' | 'lead'>, size: number): TokenBytes {
  const tokens = Array.from({ length: size }, (_, id) => tokenizer.tokenBytes(id) ?? new Uint8Array())
  const offsets = new Int32Array(new SharedArrayBuffer((size + 1) * 4))
  for (const [id, token] of tokens.entries()) offsets[id + 1] = (offsets[id] ?? 0) + token.length
  const bytes = new Uint8Array(new SharedArrayBuffer(offsets[size] ?? 0))
  for (const [id, token] of tokens.entries()) bytes.set(token, offsets[id])
  return { bytes, offsets, lead: tokenizer.lead }
}

/** The bytes of one token. */
export function bytesOfToken(tokens: TokenBytes, id: number): Uint8Array {
  return tokens.bytes.subarray(tokens.offsets[id] ?? 0, tokens.offsets[id + 1] ?? 0)
}

/**
 * The tokens of a vocabulary by their bytes, as a tree laid out in depth-first order: node i reads `bytes[i]` at depth
 * `depths[i]`, its subtree ends before `ends[i]`, and its tokens are `tokens[firsts[i]]` up to `tokens[firsts[i + 1]]`.
 */
export interface TokenTrie {
  readonly bytes: Uint8Array
  readonly depths: Uint16Array
  readonly ends: Int32Array
  readonly firsts: Int32Array
  readonly tokens: Int32Array
  readonly maxDepth: number
}

/** Builds the tree of all tokens that have bytes. */
export function buildTokenTrie(vocabulary: TokenBytes): TokenTrie {
  const ids = sortedByBytes(vocabulary)
  const bytes: number[] = []
  const depths: number[] = []
  const ends: number[] = []
  const firsts: number[] = []
  const tokens: number[] = []
  const path: number[] = []
  let previous = new Uint8Array()
  let maxDepth = 0
  for (const id of ids) {
    const token = bytesOfToken(vocabulary, id)
    const shared = sharedLength(previous, token)
    while (path.length > shared) ends[path.pop() ?? 0] = bytes.length
    for (let depth = shared; depth < token.length; depth++) {
      path.push(bytes.length)
      bytes.push(token[depth] ?? 0)
      depths.push(depth)
      ends.push(0)
      firsts.push(tokens.length)
    }
    tokens.push(id)
    maxDepth = Math.max(maxDepth, token.length)
    previous = new Uint8Array(token)
  }
  while (path.length > 0) ends[path.pop() ?? 0] = bytes.length
  firsts.push(tokens.length)
  return {
    bytes: Uint8Array.from(bytes),
    depths: Uint16Array.from(depths),
    ends: Int32Array.from(ends),
    firsts: Int32Array.from(firsts),
    tokens: Int32Array.from(tokens),
    maxDepth,
  }
}

function sortedByBytes(vocabulary: TokenBytes): readonly number[] {
  const ids: number[] = []
  for (let id = 0; id + 1 < vocabulary.offsets.length; id++) {
    if (bytesOfToken(vocabulary, id).length > 0) ids.push(id)
  }
  // One UTF-16 unit for each byte: such texts compare as their bytes do, and much faster than buffers.
  const texts = Array.from({ length: vocabulary.offsets.length }, (_, id) =>
    Buffer.from(bytesOfToken(vocabulary, id)).toString('latin1'),
  )
  return ids.sort((a, b) => {
    const [left = '', right = ''] = [texts[a], texts[b]]
    return left < right ? -1 : left > right ? 1 : a - b
  })
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

/** Returns the number of tokens of a greedy longest-match encoding of these bytes; at worst more than the minimum. */
export function greedyTokenCount(trie: TokenTrie, bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; count++) at += Math.max(1, longestToken(trie, bytes, at))
  return count
}

function longestToken(trie: TokenTrie, bytes: Uint8Array, from: number): number {
  let longest = 0
  let depth = 0
  for (let node = 0, end = trie.bytes.length; node < end && from + depth < bytes.length;) {
    if (trie.bytes[node] !== bytes[from + depth]) {
      node = trie.ends[node] ?? end
      continue
    }
    depth++
    if ((trie.firsts[node + 1] ?? 0) > (trie.firsts[node] ?? 0)) longest = depth
    end = trie.ends[node] ?? end
    node++
  }
  return longest
}
