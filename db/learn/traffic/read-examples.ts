import { sql } from 'kysely'
import { sourceOf, type TemplateSource } from '../../../core/gateway/captures/template.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import type { Cluster } from './list-clusters.ts'
import { isObserved, isUsable } from './measure-templates.ts'

/** Examples of a cluster in a list. */
const SHOWN = 8
/** Characters of their texts, and of the instructions before them. */
const SHOWN_CHARS = 500

/** A call of a cluster, cut for a list. */
export interface ShownExample {
  readonly captureId: string
  readonly input: string
  readonly expected: string
  /** The instructions of the call; empty without any. */
  readonly instructions: string
}

type Named = Pick<Cluster, 'namespace' | 'signature' | 'signatures'>

/** Reads the newest calls of clusters that no review has discarded, approved ones first. In the order of the clusters. */
export async function showExamples(
  op: Operation,
  clusters: readonly Named[],
): Promise<readonly (readonly ShownExample[])[]> {
  if (clusters.length === 0) return []
  const rows = await op.read((q) =>
    q
      .selectFrom(
        unnest('u', {
          namespace: list(
            'text',
            clusters.map(({ namespace }) => namespace),
          ),
          // A list of lists cannot be unnested; signatures hold no comma.
          signatures: list(
            'text',
            clusters.map(({ signatures }) => signatures.join(',')),
          ),
        }),
      )
      .innerJoinLateral(
        (of) =>
          of
            .selectFrom('captures as c')
            .innerJoin('capture_contents as x', 'x.id', 'c.id')
            .select(['c.id', 'c.status'])
            .select([
              sql<string>`left(x.prompt, ${sql.lit(SHOWN_CHARS)})`.as('head'),
              sql<string>`right(x.prompt, ${sql.lit(SHOWN_CHARS * 4)})`.as('prompt'),
              sql<string>`left(coalesce(x.fixed_output, x.response), ${sql.lit(SHOWN_CHARS)})`.as('expected'),
            ])
            .where(isObserved(op.tenantId, op.now()))
            .where(isUsable())
            .whereRef('c.namespace', '=', 'u.namespace')
            .where(sql<boolean>`c.template = any(string_to_array(u.signatures, ','))`)
            .orderBy('c.id', 'desc')
            .limit(SHOWN)
            .as('e'),
        (on) => on.onTrue(),
      )
      .select(['u.place', 'e.id', 'e.status', 'e.head', 'e.prompt', 'e.expected'])
      .orderBy('u.place')
      .orderBy(sql`e.status = 'approved'`, 'desc')
      .orderBy('e.id', 'desc'),
  )
  const byPlace = Map.groupBy(rows, ({ place }) => Number(place))
  return clusters.map((_, i) =>
    (byPlace.get(i + 1) ?? []).map(({ id, head, prompt, expected }) => {
      const input = lastTurn(prompt).slice(0, SHOWN_CHARS).toWellFormed()
      return { captureId: id, input, expected, instructions: instructionsOf(head) }
    }),
  )
}

/** The instructions at the beginning of a stored prompt, whose turns are `role: text`. */
function instructionsOf(head: string): string {
  const [first = ''] = head.split('\n\nuser: ', 1)
  return first.startsWith('system: ') ? first.slice('system: '.length).toWellFormed() : ''
}

/** Returns the newest turn at the end of a stored prompt, whose turns are `role: text`. */
export function lastTurn(prompt: string): string {
  const at = prompt.lastIndexOf('\n\nuser: ')
  return at === -1 ? prompt.replace(/^user: /, '') : prompt.slice(at + '\n\nuser: '.length)
}

/** Lists the approved captures of a cluster of any age, newest first, at most `most`. */
export async function approvedCaptures(
  op: Operation,
  { namespace, signatures }: Named,
  most: number,
): Promise<readonly string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .select('c.id')
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.namespace', '=', namespace)
      .where(sql<boolean>`c.template = any(${[...signatures]}::text[])`)
      .where('c.status', '=', 'approved')
      .where('c.retention', '=', 'kept')
      .where('c.forgotten_at', 'is', null)
      .orderBy('c.id', 'desc')
      .limit(most),
  )
  return rows.map(({ id }) => id)
}

/** Returns the texts of the newest call of a template, for what its calls have in common; null without a call. */
export async function templateSource(
  op: Operation,
  { namespace, signature }: { readonly namespace: string; readonly signature: string },
): Promise<TemplateSource | null> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .innerJoin('capture_contents as x', 'x.id', 'c.id')
      .select(['x.prompt', 'x.body'])
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.namespace', '=', namespace)
      .where('c.template', '=', signature)
      .orderBy('c.id', 'desc')
      .limit(1),
  )
  return row === undefined ? null : sourceOf(row.prompt, row.body as JsonObject | null)
}
