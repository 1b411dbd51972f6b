interface Round<T> {
  readonly work: Promise<T>
  /** The following round, for callers who may have come too late for this one. */
  next: Promise<T> | undefined
}

/** Runs work for one key at a time, shared by all callers who request it meanwhile. */
export class Rounds<T> {
  readonly #running = new Map<string, Round<T>>()

  /**
   * Returns the result of `work` from a round that begins after the call. One round at a time runs per key; calls
   * during it share the next one. Throws the errors of the round.
   */
  async join(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key)
    if (running === undefined) return await this.#start(key, work)
    const start = async (): Promise<T> => await this.#start(key, work)
    running.next ??= running.work.then(start, start)
    return await running.next
  }

  async #start(key: string, work: () => Promise<T>): Promise<T> {
    const round: Round<T> = {
      work: work().finally(() => {
        if (round.next === undefined) this.#running.delete(key)
      }),
      next: undefined,
    }
    this.#running.set(key, round)
    return await round.work
  }
}
