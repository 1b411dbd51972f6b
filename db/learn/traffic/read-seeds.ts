import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { isObserved, isUsable } from './measure-templates.ts'
import { lastTurn } from './read-examples.ts'

/** A captured call, as a row of a task. */
export interface CapturedRow {
  readonly id: string
  /** Signature of its template; null where it has none. */
  readonly template: string | null
  readonly input: string
  readonly expected: string
}

/** Characters of a prompt and of an answer; longer ones are left out. */
const MOST_CHARS = 4000

/** Reads the newest calls of a namespace that no review has discarded; a reviewer's answer stands in place of the response. */
export async function readCapturedRows(
  op: Operation,
  namespace: string,
  most: number,
): Promise<readonly CapturedRow[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .innerJoin('capture_contents as x', 'x.id', 'c.id')
      .select(['c.id', 'c.template', 'x.prompt'])
      .select(sql<string>`coalesce(x.fixed_output, x.response)`.as('expected'))
      .where(isObserved(op.tenantId, op.now()))
      .where(isUsable())
      .where('c.namespace', '=', namespace)
      .where(sql<boolean>`length(x.prompt) <= ${sql.lit(MOST_CHARS)}`)
      .where(sql<boolean>`length(coalesce(x.fixed_output, x.response)) <= ${sql.lit(MOST_CHARS)}`)
      .orderBy('c.id', 'desc')
      .limit(most),
  )
  return rows.map(({ id, template, prompt, expected }) => ({ id, template, expected, input: lastTurn(prompt ?? '') }))
}
