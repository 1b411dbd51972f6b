/** Values that arrive at any time and are taken one by one. */
export class Inbox<T> {
  readonly #values: T[] = []
  #failure: { readonly error: unknown } | undefined
  #waiting: PromiseWithResolvers<T> | undefined

  push(value: T): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) this.#values.push(value)
    else waiting.resolve(value)
  }

  /** Ends the inbox: once it is empty, `next` rejects with `error`. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#waiting?.reject(this.#failure.error)
    this.#waiting = undefined
  }

  /** The next value. One caller at a time waits for it. */
  async next(): Promise<T> {
    const [first] = this.#values.splice(0, 1)
    if (first !== undefined) return first
    if (this.#failure !== undefined) throw this.#failure.error
    this.#waiting ??= Promise.withResolvers<T>()
    return await this.#waiting.promise
  }
}
