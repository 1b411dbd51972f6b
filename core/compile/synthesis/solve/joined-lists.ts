import { EXACTLY } from '../../rows/equality/same-output.ts'
import type { TextNode } from '../search/node.ts'
import { listsByLength, orderedWithoutDoubles, shapedLists, totalledLists } from '../lists/shaped-lists.ts'
import type { ListNode } from '../lists/list-space.ts'
import { joined, keptItems, solveItems } from '../lists/solve-items.ts'
import type { Workspace } from './workspace.ts'

const MAX_SEPARATORS = 6
const MAX_BASE = 12
/** Lists that are joined as they are. */
const MAX_JOINED = 40
const MAX_MAPPED = 4
const MAX_KEPT = 2
const KEPT_STEPS = 12_000
const MAX_DEPTH = 1
const SEPARATOR = /[^\p{L}\p{N}]+/gu
/** A word between two items, such as `and`. */
const WORD_BETWEEN = / \p{Ll}+ /gu
const MAX_WORDS = 2

function separatorsOf(outputs: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const output of outputs) {
    for (const [run] of output.matchAll(SEPARATOR)) {
      counts.set(run, (counts.get(run) ?? 0) + 1)
      for (let at = 1; at < run.length && run.length <= 5; at++)
        counts.set(run.slice(0, at), counts.get(run.slice(0, at)) ?? 0)
    }
  }
  const found = [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([run]) => run)
  return [...found.slice(0, MAX_SEPARATORS), ...wordsBetween(outputs), '']
}

/** Words between spaces that several outputs have, with these spaces. */
function wordsBetween(outputs: readonly string[]): string[] {
  const having = new Map<string, number>()
  for (const output of outputs) {
    for (const word of new Set(output.match(WORD_BETWEEN))) having.set(word, (having.get(word) ?? 0) + 1)
  }
  const shared = [...having].filter(([, count]) => count > 1).toSorted(([, x], [, y]) => y - x)
  return shared.slice(0, MAX_WORDS).map(([word]) => word)
}

/** The outputs without the marks that all of them start and end with. */
function withoutFrame(outputs: readonly string[]): string[] {
  const first = outputs[0] ?? ''
  const head = /^[^\p{L}\p{N}]*/u.exec(first)?.[0] ?? ''
  const tail = /[^\p{L}\p{N}]*$/u.exec(first)?.[0] ?? ''
  const start = outputs.every((output) => output.startsWith(head)) ? head.length : 0
  const end = outputs.every((output) => output.endsWith(tail)) ? tail.length : 0
  return outputs.map((output) => output.slice(start, output.length - end))
}

/** Finds lists whose items occur in the outputs in order, as texts: joined unchanged, shaped, or item by item. */
export function joinedLists(workspace: Workspace, outputs: readonly string[]): TextNode[] {
  const { problem, budget } = workspace
  const base = workspace.lists().filter((list) => list.values.some((items) => items !== undefined && items.length > 1))
  const rows = outputs.map((_, row) => row)
  const separators = separatorsOf(outputs)
  const out: TextNode[] = []
  const lists = base.slice(0, MAX_BASE)
  for (const list of [
    ...base.slice(0, MAX_JOINED),
    ...[shapedLists, totalledLists, listsByLength, orderedWithoutDoubles].flatMap((shape) => lists.flatMap(shape)),
  ]) {
    budget.spend(separators.length)
    for (const separator of separators) {
      const text = joined(list, separator)
      if (text.values.some((value, row) => value !== undefined && value !== '' && (outputs[row] ?? '').includes(value)))
        out.push(text)
    }
  }
  if (problem.depth > MAX_DEPTH || outputs.some((output) => output === '')) return out
  let tried = 0
  const bare = withoutFrame(outputs)
  for (const [separator, texts] of separators.flatMap((one) => [[one, outputs] as const, [one, bare] as const])) {
    if (separator === '' || (texts === bare && bare.join() === outputs.join())) continue
    const parts = texts.map((output) => output.split(separator))
    if (parts.every((items) => items.length === 1)) continue
    for (const list of lists) {
      if (tried >= MAX_MAPPED) return out
      if (!rows.every((row) => list.values[row]?.length === parts[row]?.length)) continue
      if (new Set(parts.map((items) => items.length)).size === 1) continue
      tried++
      const mapped = solveItems(list, parts, EXACTLY, rows, problem.depth, workspace.solve, budget)
      if (mapped !== undefined) out.push(joined(mapped, separator))
    }
    out.push(...keptAndJoined(workspace, lists, separator, parts))
  }
  return out
}

/** Lists of which a condition keeps some items, and the rest are joined: the words of a text that are long enough. */
function keptAndJoined(
  { problem, solve, budget }: Workspace,
  lists: readonly ListNode[],
  separator: string,
  parts: readonly (readonly string[])[],
): TextNode[] {
  const rows = parts.map((_, row) => row)
  const shorter = lists.filter(({ values }) => {
    const lengths = parts.map((items, row) => (values[row]?.length ?? -1) - items.length)
    return lengths.every((length) => length >= 0) && lengths.some((length) => length > 0)
  })
  return shorter.slice(0, MAX_KEPT).flatMap((list) => {
    const kept = budget.within(
      KEPT_STEPS,
      (part) => keptItems(list, undefined, parts, EXACTLY, rows, problem.depth, solve, part),
      undefined,
    )
    return kept === undefined ? [] : [joined(kept, separator)]
  })
}
