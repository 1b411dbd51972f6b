import { hash } from 'node:crypto'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { shapeOf } from '../solve/row-shapes.ts'

/** Unlabelled inputs that take part in a search, at most: every node is evaluated on each. */
export const MAX_UNLABELLED = 12

/**
 * Picks the unlabelled inputs that take part in a search: of different shapes first, shapes that no row has before the
 * others, then further ones of each shape in turn. Their order in the list does not matter.
 */
export function pickUnlabelled(inputs: readonly Json[], unlabelled: readonly Json[]): readonly Json[] {
  if (unlabelled.length === 0) return []
  const known = new Set(inputs.map((input) => canonicalJson(input)))
  const shapes = new Set(inputs.map(shapeOf))
  const keyed = new Map<string, Json>()
  for (const input of unlabelled) {
    const text = canonicalJson(input)
    if (!known.has(text)) keyed.set(hash('sha256', text, 'hex'), input)
  }
  const groups = new Map<string, Json[]>()
  for (const [, input] of [...keyed].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const shape = shapeOf(input)
    const group = groups.get(shape)
    if (group === undefined) groups.set(shape, [input])
    else group.push(input)
  }
  const ordered = [...groups].toSorted(([a], [b]) => Number(shapes.has(a)) - Number(shapes.has(b)))
  const picked: Json[] = []
  for (let turn = 0; picked.length < Math.min(MAX_UNLABELLED, keyed.size); turn++) {
    for (const [, group] of ordered) {
      const input = group[turn]
      if (input !== undefined && picked.length < MAX_UNLABELLED) picked.push(input)
    }
  }
  return picked
}
