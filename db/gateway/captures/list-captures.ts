import { sql } from 'kysely'
import type { Reads } from '../../kernel/queries/typed.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { findByText } from '../across/search-captures.ts'
import { boundsOf } from '../../kernel/namespaces/bounds.ts'
import { conditionsOf, patternOf } from './filter.ts'
import { CAPTURE_COLUMNS, type CaptureFilter, type CaptureReader } from './read-columns.ts'

/** Characters of a preview. */
const PREVIEW_CHARS = 200
/** Captures that are counted for a total. */
const COUNTED = 10_000
/** Newest captures that are read one after another before the index is asked: a frequent text is found among them. */
const WINDOW = 4000

/** A page of captures, newest first. */
export interface CapturePage extends Page<ListedCapture> {
  /** Captures on all pages; null when there are more than 10,000, and for a text that goes beyond this page. */
  readonly total: number | null
}

/** A capture in a list. */
export type ListedCapture = Awaited<ReturnType<typeof readIds>>[number]

/**
 * Lists captures of the tenant, newest first, without forgotten ones. `cursor` is the `nextCursor` of the page before;
 * `offset` passes over captures after it.
 * Throws `invalid_cursor`.
 */
export async function listCaptures(
  op: CaptureReader,
  filter: CaptureFilter,
  page: PageRequest & { readonly countsTotal?: boolean; readonly offset?: number },
): Promise<CapturePage> {
  const { offset = 0 } = page
  const most = offset + page.limit + 1
  const { id: before } = placeOf(page.cursor)
  const { q, ...rest } = filter
  const found =
    q === undefined ? await findIds(op, rest, before, most) : await searchIds(op, { ...rest, q }, before, most)
  const captures = await readIds(op, found.slice(offset))
  const listed = pageOf(captures, page.limit, ({ id }) => ({ rank: 0, id }))
  const isWhole = page.cursor === undefined && offset === 0 && listed.nextCursor === null
  const total = isWhole
    ? listed.items.length
    : page.countsTotal === true && q === undefined
      ? await count(op, rest)
      : null
  return { ...listed, total }
}

async function findIds(op: CaptureReader, filter: CaptureFilter, before: string, most: number): Promise<string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .select('c.id')
      .where(conditionsOf(op.tenantId, filter, { before }))
      .orderBy('c.id', 'desc')
      .limit(most),
  )
  return rows.map(({ id }) => id)
}

/** The newest captures are read one after another; when they do not fill the page, the index finds the others. */
async function searchIds(
  op: CaptureReader,
  { q: text, ...filter }: CaptureFilter & { readonly q: string },
  before: string,
  most: number,
): Promise<string[]> {
  const pattern = patternOf(text)
  const [hits, ends] = await op.read((q) => [
    q
      .selectFrom(windowOf(q, op.tenantId, filter, before).as('w'))
      .innerJoin('capture_contents as x', 'x.id', 'w.id')
      .select('x.id')
      .where(sql<boolean>`(x.prompt ilike ${pattern} or x.response ilike ${pattern})`)
      .orderBy('x.id', 'desc')
      .limit(most),
    q
      .selectFrom(windowOf(q, op.tenantId, filter, before).as('w'))
      .select((of) => [of.fn.min('w.id').as('last'), of.fn.countAll<number>().as('rows')]),
  ])
  const ids = hits.map(({ id }) => id)
  const [end] = ends
  if (ids.length >= most || end === undefined || end.rows < WINDOW) return ids
  const further = await findByText(op.db, {
    tenantId: op.tenantId,
    bounds: boundsOf(op),
    conditions: conditionsOf(op.tenantId, filter, { before: end.last }),
    before: end.last,
    pattern,
    most: most - ids.length,
  })
  return [...ids, ...further]
}

function windowOf(q: Reads, tenantId: string, filter: CaptureFilter, before: string) {
  return q
    .selectFrom('captures as c')
    .select('c.id')
    .where(conditionsOf(tenantId, filter, { before }))
    .orderBy('c.id', 'desc')
    .limit(WINDOW)
}

async function readIds(op: CaptureReader, ids: readonly string[]) {
  if (ids.length === 0) return []
  return await op.read((q) =>
    q
      .selectFrom('captures as c')
      .leftJoin('capture_contents as x', 'x.id', 'c.id')
      .select(CAPTURE_COLUMNS)
      .select([
        sql<string | null>`left(x.prompt, ${PREVIEW_CHARS})`.as('promptPreview'),
        sql<string | null>`left(x.response, ${PREVIEW_CHARS})`.as('responsePreview'),
        sql<boolean>`x.fixed_output is not null`.as('isFixed'),
      ])
      .where(sql<boolean>`c.id = any(${[...ids]}::text[])`)
      .where('c.tenant_id', '=', op.tenantId)
      .orderBy('c.id', 'desc'),
  )
}

async function count(op: CaptureReader, filter: CaptureFilter): Promise<number | null> {
  const [row] = await op.read((q) =>
    q
      .selectFrom(
        q
          .selectFrom('captures as c')
          .select('c.id')
          .where(conditionsOf(op.tenantId, filter))
          .limit(COUNTED + 1)
          .as('counted'),
      )
      .select((of) => of.fn.countAll<number>().as('rows')),
  )
  const rows = row?.rows ?? 0
  return rows > COUNTED ? null : rows
}
