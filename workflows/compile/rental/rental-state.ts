import type { RentalSeen } from './messages.ts'

/** The steps of a rental, and its two ends. */
export type RentalStep = 'reserve' | 'rent' | 'wait for pool' | 'fit' | 'fetch' | 'tear down' | 'done' | 'failed'

/** The step of a rental and its machine, independent of Temporal. */
export class RentalState {
  #step: RentalStep = 'reserve'
  #seen: RentalSeen | null = null

  enter(step: RentalStep): void {
    this.#step = step
  }

  /** Records how the machine was last seen. */
  see(seen: RentalSeen): void {
    this.#seen = seen
  }

  /** One line of Markdown for people who read the run in Temporal's own pages: cost, deadline and last heartbeat. */
  describe(): string {
    if (this.#seen === null) return `**${this.#step}**`
    const { number, costUsd, budgetUsd, deadline, heartbeat } = this.#seen
    const heard = heartbeat === null ? 'not heard yet' : `last heard ${heartbeat}`
    return `**${this.#step}** · machine ${number} · ${costUsd.toFixed(2)} of ${budgetUsd.toFixed(2)} USD · until ${deadline} · ${heard}`
  }
}
