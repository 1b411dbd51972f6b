import type { Json } from '../../../kernel/json/json.ts'
import type { LeafAnswer } from '../recipe.ts'
import type { CompositeNode } from './composite-recipe.ts'

/** A node with the numbers of its leaves instead of their recipes. */
type NumberedNode =
  | { readonly node: 'leaf'; readonly number: number }
  | { readonly node: 'object'; readonly members: readonly { readonly name: string; readonly value: NumberedNode }[] }
  | { readonly node: 'list'; readonly items: readonly NumberedNode[] }
  | {
      readonly node: 'optional'
      readonly absent: 'missing' | 'null'
      readonly present: number
      readonly value: NumberedNode
    }

/** Numbers the leaves of a composite in the order of `leavesOf`. */
export function numberLeaves(root: CompositeNode): NumberedNode {
  let next = 0
  const walk = (node: CompositeNode): NumberedNode => {
    switch (node.node) {
      case 'leaf':
        return { node: 'leaf', number: next++ }
      case 'object':
        return { node: 'object', members: node.members.map(({ name, value }) => ({ name, value: walk(value) })) }
      case 'list':
        return { node: 'list', items: node.items.map(walk) }
      case 'optional':
        return { node: 'optional', absent: node.absent, present: next++, value: walk(node.value) }
    }
  }
  return walk(root)
}

/** Result of a node: a value, no member, or no answer since a leaf abstained. */
interface Assembled {
  readonly state: 'value' | 'missing' | 'abstained'
  readonly output: Json
  readonly confidence: number
}

/**
 * Puts the answers of leaves together. The confidence is the product of those of the leaves that were asked; the first leaf
 * that abstains outside an optional value ends it. Throws as `ask`.
 */
export function assemble(node: NumberedNode, ask: (number: number) => LeafAnswer): Assembled {
  switch (node.node) {
    case 'leaf': {
      const { abstained, output, confidence } = ask(node.number)
      return { state: abstained ? 'abstained' : 'value', output, confidence }
    }
    case 'object': {
      const parts = assembleAll(
        node.members.map(({ value }) => value),
        ask,
      )
      if ('state' in parts) return parts
      const members = node.members.flatMap(({ name }, at): [string, Json][] => {
        const part = parts.values[at]
        return part === undefined || part.state === 'missing' ? [] : [[name, part.output]]
      })
      return { state: 'value', output: Object.fromEntries(members), confidence: parts.confidence }
    }
    case 'list': {
      const parts = assembleAll(node.items, ask)
      if ('state' in parts) return parts
      return { state: 'value', output: parts.values.map(({ output }) => output), confidence: parts.confidence }
    }
    case 'optional': {
      const present = ask(node.present)
      const state = node.absent === 'missing' ? 'missing' : 'value'
      if (present.abstained || present.output !== true) return { state, output: null, confidence: present.confidence }
      const inner = assemble(node.value, ask)
      const confidence = present.confidence * inner.confidence
      return inner.state === 'value' ? { ...inner, confidence } : { state, output: null, confidence }
    }
  }
}

type Parts = { readonly values: readonly Assembled[]; readonly confidence: number }

/** Assembles nodes in turn, up to the first that abstains. */
function assembleAll(nodes: readonly NumberedNode[], ask: (number: number) => LeafAnswer): Parts | Assembled {
  const values: Assembled[] = []
  let confidence = 1
  for (const node of nodes) {
    const part = assemble(node, ask)
    if (part.state === 'abstained') return part
    values.push(part)
    confidence *= part.confidence
  }
  return { values, confidence }
}
