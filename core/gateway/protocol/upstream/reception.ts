import type { Dispatcher } from 'undici'

/** Bytes of an answer that wait for their reader before the connection is read no further. */
const MOST_WAITING = 64 * 1024

/** The start of an answer. */
export interface AnswerStart {
  readonly status: number
  /** Names in lower case; the first value of each. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Receives one answer from its connection, as fast as it is taken. Streams of Node would cost a call as much as the rest of
 * its way to the provider and back.
 */
export class Reception implements Dispatcher.DispatchHandler {
  readonly #started = Promise.withResolvers<AnswerStart>()
  #controller: Dispatcher.DispatchController | undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #isOver = false
  #failure: Error | undefined
  #wake: (() => void) | undefined
  readonly #onSent: () => void

  /** `onSent` is called when the request goes out on its connection. */
  constructor(onSent: () => void = () => undefined) {
    this.#onSent = onSent
  }

  /** Resolved when the answer starts. Rejected with what ends the call before. */
  get started(): Promise<AnswerStart> {
    return this.#started.promise
  }

  /** Takes what has come, waits for it where nothing has; null at the end. Throws what ended the answer early. */
  async take(): Promise<readonly Uint8Array[] | null> {
    while (this.#waiting.length === 0) {
      if (this.#failure !== undefined) throw this.#failure
      if (this.#isOver) return null
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const taken = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    if (this.#controller?.paused === true) this.#controller.resume()
    return taken
  }

  /** Ends the call and its connection, with this failure for callers that still wait. Nothing happens once the answer is over. */
  end(reason: Error): void {
    if (this.#isOver) return
    this.onResponseError(null, reason)
    this.#waiting = []
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Ended while it waited for a connection.
    if (this.#failure !== undefined) controller.abort(this.#failure)
    else this.#onSent()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): void {
    // What is sent ahead of an answer (RFC 9110, 15.2).
    if (status >= 200) this.#started.resolve({ status, headers: firstValues(headers) })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > MOST_WAITING) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#isOver = true
    this.#wake?.()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#failure = error
    this.#started.reject(error)
    this.#wake?.()
  }
}

function firstValues(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> {
  const first: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    const one = typeof value === 'string' ? value : value?.[0]
    if (one !== undefined) first[name] = one
  }
  return first
}
