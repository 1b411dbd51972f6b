/** A binary heap: the entry with the lowest cost first, the earlier one of two equal costs. */
export class Heap<T> {
  readonly #costs: number[] = []
  readonly #orders: number[] = []
  readonly #items: T[] = []
  #count = 0

  get size(): number {
    return this.#items.length
  }

  push(cost: number, item: T): void {
    let at = this.#items.length
    const order = this.#count++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((this.#costs[parent] ?? 0) <= cost) break
      this.#move(parent, at)
      at = parent
    }
    this.#set(at, cost, order, item)
  }

  pop(): T | undefined {
    const top = this.#items[0]
    const cost = this.#costs.pop()
    const order = this.#orders.pop()
    const item = this.#items.pop()
    if (cost === undefined || order === undefined || item === undefined || this.#items.length === 0) return top
    const size = this.#items.length
    let at = 0
    for (;;) {
      const left = at * 2 + 1
      if (left >= size) break
      const right = left + 1
      const child = right < size && this.#isBefore(right, left) ? right : left
      const childCost = this.#costs[child] ?? 0
      if (childCost > cost || (childCost === cost && (this.#orders[child] ?? 0) > order)) break
      this.#move(child, at)
      at = child
    }
    this.#set(at, cost, order, item)
    return top
  }

  #isBefore(a: number, b: number): boolean {
    const costA = this.#costs[a] ?? 0
    const costB = this.#costs[b] ?? 0
    return costA < costB || (costA === costB && (this.#orders[a] ?? 0) < (this.#orders[b] ?? 0))
  }

  #move(from: number, to: number): void {
    const item = this.#items[from]
    if (item !== undefined) this.#set(to, this.#costs[from] ?? 0, this.#orders[from] ?? 0, item)
  }

  #set(at: number, cost: number, order: number, item: T): void {
    this.#costs[at] = cost
    this.#orders[at] = order
    this.#items[at] = item
  }
}
