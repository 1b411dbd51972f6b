import type { Sources } from '../../../db/compile/evidence/descendants.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { LineageCopy } from './given-lineage.ts'

function draw(below: number): number {
  return Math.floor(Math.random() * below)
}

/** Draws artifacts that follow versions, compile examples again, and share evidence and captures. */
export function randomLineage(count: number, root: string): readonly LineageCopy[] {
  const ids = Array.from({ length: count }, () => newId('cmp'))
  const earlier = (place: number): string => ids[draw(place)] ?? root
  const isOld = (place: number): boolean => place < 20
  return ids.map((id, place) => ({
    id,
    parent: isOld(place) ? root : draw(3) === 0 ? null : earlier(place),
    earlierJob: isOld(place) || draw(4) > 0 ? null : earlier(place),
    nodes: [`dataset:${draw(40)}`],
    captures: Array.from({ length: draw(3) }, (_, index) => `cap_${draw(50)}_${index}`),
  }))
}

/** Draws sets of changed artifacts, captures and nodes. */
export function randomSources(copies: readonly LineageCopy[], count: number): readonly Sources[] {
  return Array.from({ length: count }, (_, turn) => {
    const copy = copies[draw(copies.length)]
    if (turn % 3 === 0) return { artifacts: [copy?.id ?? ''] }
    if (turn % 3 === 1) return { captures: copy?.captures ?? [] }
    return { nodes: copy?.nodes ?? [], artifacts: [copies[draw(copies.length)]?.id ?? ''] }
  })
}

/** Returns what is built on the sources, by adding over all links until nothing is added. */
export function walkLineage(
  copies: readonly LineageCopy[],
  { artifacts = [], captures = [], nodes = [] }: Sources,
): string[] {
  const given = new Set(artifacts)
  const reached = new Set(artifacts)
  for (let before = -1; before < reached.size;) {
    before = reached.size
    for (const copy of copies) {
      const isBuilt =
        copy.captures.some((capture) => captures.includes(capture)) ||
        copy.nodes.some((node) => nodes.includes(node)) ||
        [copy.parent, copy.earlierJob].some((link) => link !== null && reached.has(link))
      if (isBuilt) reached.add(copy.id)
    }
  }
  return [...reached].filter((id) => !given.has(id)).sort()
}
