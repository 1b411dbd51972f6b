import { useState } from 'preact/hooks'
import { formatNumber } from '../format.js'
import { say } from '../say.js'
import { useRead } from './use-read.js'

/**
 * @template T
 * @typedef {{ items: readonly T[], next: string | null | undefined }} ListPage
 */
/**
 * The rows of a list that are read so far; for a `Table`.
 *
 * @template T
 * @typedef {object} Paged
 * @property {readonly T[] | undefined} rows undefined until the first page is there
 * @property {unknown} error
 * @property {boolean} hasMore
 * @property {boolean} isReadingMore
 * @property {() => Promise<void>} more reads the next page
 */

/**
 * Reads a list by pages: the first one at once, further ones on demand.
 *
 * @template T
 * @param {(cursor: string | undefined, signal?: AbortSignal) => Promise<ListPage<T>>} read
 * @param {readonly unknown[]} deps a change of one begins the list again
 * @returns {Paged<T>}
 */
export function usePaged(read, deps) {
  const first = useRead((signal) => read(undefined, signal), deps)
  const [further, setFurther] = useState({
    of: /** @type {ListPage<T> | undefined} */ (undefined),
    items: /** @type {readonly T[]} */ ([]),
    next: /** @type {string | null | undefined} */ (null),
    error: /** @type {unknown} */ (undefined),
    isReading: false,
  })
  // Further pages belong to one first page.
  const now =
    first.data !== undefined && further.of === first.data
      ? further
      : { of: first.data, items: [], next: first.data?.next, error: undefined, isReading: false }
  const more = async () => {
    if (now.isReading || !now.next) return
    setFurther({ ...now, error: undefined, isReading: true })
    try {
      const page = await read(now.next)
      setFurther({ ...now, items: [...now.items, ...page.items], next: page.next, error: undefined, isReading: false })
      say(`${formatNumber(page.items.length)} more are shown.`)
    } catch (error) {
      setFurther({ ...now, error, isReading: false })
    }
  }
  return {
    rows: first.data && [...first.data.items, ...now.items],
    error: first.error ?? now.error,
    hasMore: Boolean(now.next),
    isReadingMore: now.isReading,
    more,
  }
}
