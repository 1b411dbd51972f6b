import { withQuery } from '../../api.js'

/** Pause before a refused stream is opened again: at first, and at most; milliseconds. */
const WAIT_MS = { first: 1000, most: 30_000 }

/**
 * @typedef {object} Following
 * @property {string} path
 * @property {readonly string[]} kinds of events
 * @property {(kind: string, data: any) => boolean} onEvent answers whether that was the last one
 * @property {(isCut: boolean) => void} onCut called when the connection is lost, and when it is there again
 * @property {() => Promise<boolean>} look asked when the stream was refused: whether more is to come; what it throws
 *   ends the following when `isFinal` says so
 * @property {(error: unknown) => boolean} isFinal
 * @property {(error: unknown) => void} onError
 * @property {AbortSignal} signal
 */

/**
 * Follows a stream of server-sent events to its last one. The browser itself reopens a broken connection from the last
 * event that it saw. It gives up after a refused one, so this function opens that again from the same event, with a
 * growing pause. Each event arrives once.
 *
 * @param {Following} following
 */
export function followEvents({ path, kinds, onEvent, onCut, look, isFinal, onError, signal }) {
  let waitMs = WAIT_MS.first
  let seen = ''
  const connect = () => {
    if (signal.aborted) return
    const source = new EventSource(withQuery(path, { cursor: seen }))
    const leave = () => source.close()
    signal.addEventListener('abort', leave)
    source.addEventListener('open', () => {
      waitMs = WAIT_MS.first
      onCut(false)
    })
    for (const kind of kinds) {
      source.addEventListener(kind, (event) => {
        // `error` is also what the browser calls a broken connection.
        if (!(event instanceof MessageEvent)) return
        seen = event.lastEventId
        if (onEvent(kind, JSON.parse(event.data))) leave()
      })
    }
    source.addEventListener('error', (event) => {
      if (event instanceof MessageEvent || signal.aborted) return
      onCut(true)
      if (source.readyState !== EventSource.CLOSED) return
      signal.removeEventListener('abort', leave)
      comeBackLater()
    })
  }
  const comeBackLater = () => {
    setTimeout(() => void comeBack(), waitMs)
    waitMs = Math.min(waitMs * 2, WAIT_MS.most)
  }
  const comeBack = async () => {
    try {
      if (signal.aborted) return
      if (await look()) connect()
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) onError(error)
      else comeBackLater()
    }
  }
  connect()
}
