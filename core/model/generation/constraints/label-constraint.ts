import type { TokenConstraint } from './token-constraint.ts'

interface TrieNode {
  readonly children: Map<number, number>
  isEnd: boolean
  allowed: Int32Array | null
}

/**
 * Restricts answers to the given token sequences: the tokenizer's encodings of the labels, as training has shown them;
 * other encodings of the same bytes are not allowed. The sequences are finite, so the token budget does not matter.
 */
export function labelConstraint(labels: readonly (readonly number[])[]): TokenConstraint {
  const nodes: TrieNode[] = []
  const addNode = (): number => nodes.push({ children: new Map(), isEnd: false, allowed: null }) - 1
  const start = addNode()
  for (const label of labels) {
    let node = start
    for (const token of label) {
      const children = nodes[node]?.children
      const known = children?.get(token)
      const next = known ?? addNode()
      children?.set(token, next)
      node = next
    }
    const last = nodes[node]
    if (last !== undefined) last.isEnd = true
  }
  const none = new Int32Array()
  const allowed = (state: number): Int32Array => {
    const node = nodes[state]
    if (node === undefined) return none
    node.allowed ??= Int32Array.from(node.children.keys())
    return node.allowed
  }
  return {
    start,
    allowed,
    mayEnd: (state) => nodes[state]?.isEnd ?? false,
    next: (state, token) => nodes[state]?.children.get(token) ?? -1,
    allowedWithin: allowed,
  }
}
