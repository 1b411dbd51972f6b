import { createContext } from 'preact'
import { useContext, useLayoutEffect, useState } from 'preact/hooks'
import { markBusy, version } from '../../app/state.js'

/** Marks what a read keeps busy: the page, or a part further down. */
export const Busy = createContext(markBusy)

/**
 * @template T
 * @typedef {{ data: T | undefined, error: unknown }} Read
 */

/**
 * Reads something when the component is first shown, when one of `deps` changes and when the page is reloaded. The last
 * data stay until the new ones are there, so that focus and typed text stay too.
 *
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} read
 * @param {readonly unknown[]} deps
 * @returns {Read<T>}
 */
export function useRead(read, deps) {
  const mark = useContext(Busy)
  const [state, setState] = useState(/** @type {Read<T>} */ ({ data: undefined, error: undefined }))
  // A layout effect: the page is marked as busy in the same task as what caused it.
  useLayoutEffect(() => {
    const leaving = new AbortController()
    const finish = mark()
    read(leaving.signal)
      .then(
        (data) => {
          if (!leaving.signal.aborted) setState({ data, error: undefined })
        },
        (error) => {
          if (!leaving.signal.aborted) setState({ data: undefined, error })
        },
      )
      .finally(finish)
    return () => {
      leaving.abort()
      finish()
    }
  }, [version.value, ...deps])
  return state
}
