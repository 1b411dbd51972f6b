import { signal } from '@preact/signals'

/** Number of reloads: everything that a page has read is read again when it grows. */
export const version = signal(0)

/** Number of reads under way; the page is busy while there is one. */
export const pending = signal(0)

/** Number of parts further down a page that were read to their end. */
export const partsRead = signal(0)

/** Whether the browser's session is that of an anonymous workspace. */
export const isWorkspace = signal(false)

/**
 * Marks the page as busy. Returns a function that ends that, once however often it is called.
 *
 * @returns {() => void}
 */
export function markBusy() {
  return markIn(pending)
}

/**
 * The same for a part of a page, whose reads are counted apart.
 *
 * @param {import('@preact/signals').Signal<number>} reads
 * @returns {() => void}
 */
export function markIn(reads) {
  reads.value += 1
  let isOver = false
  return () => {
    if (!isOver) reads.value -= 1
    isOver = true
  }
}

/** Reads the session and everything on the page again. */
export function reload() {
  version.value += 1
}
