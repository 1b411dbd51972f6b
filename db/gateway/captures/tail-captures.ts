import { sql } from 'kysely'
import { firstTimedId } from '../../../core/kernel/ids.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { CAPTURE_COLUMNS, type CaptureReader } from './read-columns.ts'

/** Captures that are read at once. */
const BATCH = 200
/** A notification may be lost with its connection; then the tail looks by itself. */
const LOOK_MS = 5000

/** The selection that a tail follows. */
export interface TailRequest {
  /** Absent for all namespaces in the caller's reach. */
  readonly namespace?: string | undefined
  /** Captures behind this position. */
  readonly after: number
  readonly signal: AbortSignal
}

/** A capture in the live tail. */
export type TailedCapture = Awaited<ReturnType<typeof readAfter>>[number]

/**
 * Returns the position behind which the newest `replay` captures of the tenant are; of a namespace, so many of its own.
 */
export async function tailStart(
  op: CaptureReader,
  { namespace, replay }: { readonly namespace?: string | undefined; readonly replay: number },
): Promise<number> {
  const [heads, newest] = await op.read((q) => [
    q.selectFrom('capture_heads').select('position').where('tenant_id', '=', op.tenantId),
    q
      .selectFrom('captures')
      .select('position')
      .where('tenant_id', '=', op.tenantId)
      .where(namespace === undefined ? sql<boolean>`true` : sql<boolean>`namespace = ${namespace}`)
      .orderBy('position', 'desc')
      .limit(replay),
  ])
  const first = newest.at(-1)
  return first === undefined ? (heads[0]?.position ?? 0) : first.position - 1
}

/**
 * Yields the captures of the tenant behind a position, in the order of their commits, and continues as they are written by
 * any process, until the signal is aborted; an empty list says that all stored ones were yielded, and from then on that
 * nothing came for five seconds. Forgotten ones are left out. A caller that stops reading holds at most one batch.
 */
export async function* tailCaptures(
  op: CaptureReader,
  notifications: Notifications,
  { namespace, after, signal }: TailRequest,
): AsyncGenerator<readonly TailedCapture[], void> {
  let wake = Promise.withResolvers<void>()
  const stops = [
    notifications.on('svc_captures', (tenantId) => {
      if (tenantId === op.tenantId) wake.resolve()
    }),
    notifications.onReconnect(() => wake.resolve()),
  ]
  const abort = () => wake.resolve()
  signal.addEventListener('abort', abort)
  let isLive = false
  try {
    for (let position = after; !signal.aborted;) {
      wake = Promise.withResolvers<void>()
      const rows = await readAfter(op, namespace, position)
      const last = rows.at(-1)
      if (last !== undefined) {
        position = last.position
        yield rows
        continue
      }
      if (!isLive) {
        isLive = true
        yield []
        continue
      }
      let isIdle = false
      const timer = setTimeout(() => {
        isIdle = true
        wake.resolve()
      }, LOOK_MS)
      await wake.promise
      clearTimeout(timer)
      if (isIdle) yield []
    }
  } finally {
    signal.removeEventListener('abort', abort)
    for (const stop of stops) stop()
  }
}

async function readAfter(op: CaptureReader, namespace: string | undefined, position: number) {
  return await op.read((q) =>
    q
      .selectFrom('captures as c')
      .leftJoin('capture_contents as x', 'x.id', 'c.id')
      .select(CAPTURE_COLUMNS)
      .select([
        sql<string | null>`left(x.prompt, 200)`.as('promptPreview'),
        sql<string | null>`left(x.response, 200)`.as('responsePreview'),
        sql<boolean>`x.fixed_output is not null`.as('isFixed'),
      ])
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.position', '>', position)
      .where('c.forgotten_at', 'is', null)
      .where(namespace === undefined ? sql<boolean>`true` : sql<boolean>`c.namespace = ${namespace}`)
      .orderBy('c.position')
      .limit(BATCH),
  )
}

/** Returns the position behind which the captures since a time are. */
export async function positionAt(op: CaptureReader, at: Date): Promise<number> {
  const [first, heads] = await op.read((q) => [
    q
      .selectFrom('captures')
      .select((of) => of.fn.min('position').as('position'))
      .where('tenant_id', '=', op.tenantId)
      .where('id', '>=', firstTimedId('cap', at)),
    q.selectFrom('capture_heads').select('position').where('tenant_id', '=', op.tenantId),
  ])
  const position: number | null = first[0]?.position ?? null
  return position === null ? (heads[0]?.position ?? 0) : position - 1
}
