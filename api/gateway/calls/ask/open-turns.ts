import { z } from 'zod'
import { AnyObject } from '../../../../core/gateway/protocol/dialects/fields.ts'
import {
  outputAlone,
  responseAfter,
  type KeptResponse,
  type KeptTurn,
} from '../../../../core/gateway/protocol/dialects/responses/kept-turns.ts'
import { openById, referenceKey } from '../../../../core/gateway/record/seal-by-id.ts'
import { loopTurns } from '../../../../core/kernel/threads/fair/in-slices.ts'
import type {
  EarlierTurn,
  FoundReference,
  SealedReference,
} from '../../../../db/gateway/cache/references/find-references.ts'
import type { TurnFacts } from '../open-call.ts'

/** The members `parent` and `digest` are those of turns: a response without them begins a conversation. */
const Turn: z.ZodType<KeptTurn> = z.object({
  parent: z.string().nullable().default(null),
  input: z.array(AnyObject).nullable(),
  response: AnyObject,
  digest: z.string().nullable().default(null),
})

/** Reads rows, which are still sealed, into the memory of one call. */
export interface SealedRows {
  /** Reads some of the rows, a few at a time and in their order. */
  readonly read: (rows: readonly EarlierTurn[]) => AsyncIterable<SealedReference>
  /** Counts what stays in memory. Throws `validation_failed` where it is too much. */
  readonly hold: (chars: number) => void
}

/** A response that is kept here and that a call names. */
export interface NamedResponse {
  readonly name: string
  readonly row: FoundReference
  /** False where items of its output alone are named. */
  readonly isWhole: boolean
}

/** Responses that are kept here, by their names. */
export interface OpenedTurns {
  readonly kept: ReadonlyMap<string, KeptResponse>
  readonly turns: ReadonlyMap<string, TurnFacts>
}

/**
 * Opens responses with the turns before them, or without these where `earlier` is null. Each turn is sealed under its own name, which
 * the turn after it holds: the id of the last opens the conversation. Of one whose earlier turns are gone there is the output alone.
 */
export async function openTurns(
  { read, hold }: SealedRows,
  named: readonly NamedResponse[],
  earlier: readonly EarlierTurn[] | null,
): Promise<OpenedTurns> {
  const takeTurns = loopTurns()
  const responses = new Map(named.map((one) => [hex(one.row.key), one] as const))
  /** Names of the turns that may be opened, by their keys. */
  const names = new Map(named.map(({ name, row }) => [hex(row.key), name] as const))
  const opened = new Map<string, KeptTurn>()
  const kept = new Map<string, KeptResponse>()
  const facts = new Map<string, TurnFacts>()
  const needed = new Map((earlier ?? []).map((row) => [hex(row.key), row] as const))
  const rows = new Map<string, EarlierTurn>([...needed, ...named.map(({ row }) => [hex(row.key), row] as const)])
  // A turn before those that it goes on from, whose names it holds.
  const inOrder = [...rows.values()].toSorted((a, b) => b.turns - a.turns)
  for await (const { key, content } of read(inOrder)) {
    const name = names.get(hex(key))
    if (name === undefined) continue
    const turn = Turn.parse(openById(name, content))
    const response = responses.get(hex(key))
    if (response !== undefined) facts.set(name, factsOf(response, turn))
    const isPart = response?.isWhole === false && !needed.has(hex(key))
    const held = isPart ? { ...turn, ...outputAlone(turn) } : turn
    hold(isPart ? JSON.stringify(held).length : content.length)
    opened.set(name, held)
    if (turn.parent !== null) names.set(hex(referenceKey(turn.parent)), turn.parent)
    await takeTurns()
  }
  for (const { name, isWhole } of named) {
    const turn = opened.get(name)
    if (turn === undefined) continue
    const before = earlier === null ? [] : turnsBefore(turn, opened)
    kept.set(name, isWhole && before !== null ? responseAfter(before, turn) : outputAlone(turn))
  }
  return { kept, turns: facts }
}

/** The turns before a turn, the first of the conversation first; null where one of them is gone. */
function turnsBefore(turn: KeptTurn, opened: ReadonlyMap<string, KeptTurn>): readonly KeptTurn[] | null {
  const before: KeptTurn[] = []
  for (let { parent } = turn; parent !== null;) {
    const one = opened.get(parent)
    if (one === undefined) return null
    before.push(one)
    parent = one.parent
  }
  return before.toReversed()
}

function factsOf({ name, row: { namespace, turns, conversationBytes } }: NamedResponse, turn: KeptTurn): TurnFacts {
  return { name, namespace, turns, bytes: conversationBytes, digest: turn.digest }
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex')
}
