import type { Json } from '../../../core/kernel/json/json.ts'
import type { AnswerCost } from '../../../core/learn/evals/bakeoff/answer.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'

/** The answers of two contestants to a row, by their places. */
export interface AnswerPair {
  readonly place: number
  readonly first: number
  readonly second: number
}

/** Returns the pairs that were judged, as `place first second`. */
export async function judgedPairs(op: Operation, bakeoffId: string): Promise<ReadonlySet<string>> {
  const rows = await listPreferences(op, bakeoffId)
  return new Set(rows.map(({ place, first, second }) => `${place} ${first} ${second}`))
}

/** Lists what a judge said, in one order. */
export async function listPreferences(op: Operation, bakeoffId: string) {
  return await op.read((q) =>
    q
      .selectFrom('bakeoff_preferences')
      .select(['place', 'first', 'second', 'won', 'cost'])
      .where('bakeoff_id', '=', bakeoffId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('place')
      .orderBy('first')
      .orderBy('second'),
  )
}

/** Returns the answers to some rows, as `contestant place`; rows without an answer are absent. */
export async function listOutputs(
  op: Operation,
  bakeoffId: string,
  places: readonly number[],
): Promise<ReadonlyMap<string, Json>> {
  if (places.length === 0) return new Map()
  const rows = await op.read((q) =>
    q
      .selectFrom('bakeoff_answers')
      .select(['contestant', 'place', 'output'])
      .where('bakeoff_id', '=', bakeoffId)
      .where('tenant_id', '=', op.tenantId)
      .where('place', 'in', [...places])
      .where('silence', 'is', null),
  )
  return new Map(rows.map(({ contestant, place, output }) => [`${contestant} ${place}`, output ?? null]))
}

/** Stores what a judge said of a pair, once. */
export async function recordPreference(
  op: Operation,
  given: {
    readonly bakeoffId: string
    readonly namespace: string
    readonly pair: AnswerPair
    readonly won: number | null
    readonly cost: AnswerCost
  },
): Promise<void> {
  const { bakeoffId, namespace, pair, won, cost } = given
  await op.write(async (tx) => {
    await tx.q
      .insertInto('bakeoff_preferences')
      .values({
        ...pair,
        bakeoff_id: bakeoffId,
        tenant_id: op.tenantId,
        namespace,
        won,
        cost: json(cost),
        judged_at: op.now(),
      })
      .onConflict((on) => on.doNothing())
      .execute()
  })
}
